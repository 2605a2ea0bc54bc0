#pragma once

#include <string>

namespace ydl::master {

// Stores the events of the job's state machine, so that another master can continue the job. Lines are numbered from 1;
// the owner is told how many of them are stored (Master::events_written).
class EventStore {
 public:
  EventStore() = default;
  EventStore(const EventStore&) = delete;
  EventStore& operator=(const EventStore&) = delete;
  virtual ~EventStore() = default;

  virtual void add(std::string line) = 0;
};

}  // namespace ydl::master
