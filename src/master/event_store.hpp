#pragma once

#include <string>

namespace ydl::master {

// Keeps what the job's state machine is told, so that another master can go on with the job. Lines are numbered from 1;
// the owner is told how many of them are safe (Master::events_written).
class EventStore {
 public:
  EventStore() = default;
  EventStore(const EventStore&) = delete;
  EventStore& operator=(const EventStore&) = delete;
  virtual ~EventStore() = default;

  virtual void add(std::string line) = 0;
};

}  // namespace ydl::master
