#pragma once

#include "framework/framework.hpp"
#include "job/types.hpp"
#include "net/asio.hpp"
#include "pslite/scheduler.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace ydl::master {

// Runs the parameter server's scheduler of an MXNet job: one for each start of the gang. The job's state machine says
// when it starts and stops, and tells it of a task's end at once.
class SchedulerHost {
 public:
  struct Sink {
    std::function<void(std::string)> broken;                                // the job cannot go on: why
    std::function<void(std::optional<core::AttemptId>, std::string)> note;  // for the user
  };

  struct Place {
    std::string host;                                                   // where the tasks reach it
    std::string listen;                                                 // what it listens on
    std::optional<std::pair<std::uint16_t, std::uint16_t>> port_range;  // none: the kernel chooses
    std::function<bool(const std::string&)> has_agent_at;               // whether an agent has called from there
  };

  SchedulerHost(net::asio::any_io_executor executor, framework::Shape shape, Place place,
                core::Millis registration_timeout, Sink sink)
      : executor_(std::move(executor)),
        shape_(std::move(shape)),
        place_(std::move(place)),
        registration_timeout_(registration_timeout),
        sink_(std::move(sink)) {}

  // A fresh scheduler for a start of all tasks. Errors: no port can be had.
  [[nodiscard]] core::Result<void> start();
  void stop() {
    current_.reset();
    scheduler_.reset();
  }

  [[nodiscard]] const std::string& host() const { return place_.host; }
  [[nodiscard]] std::uint16_t port() const { return scheduler_ ? scheduler_->port() : 0; }

  // A task is about to start at its place.
  void launching(const framework::Gang::Member& member);
  void ended(const job::MemberEnded& member);

 private:
  struct Current {};  // lives as long as the scheduler of one start

  void on(const pslite::Notice& notice);
  void broken(std::string why);
  [[nodiscard]] net::awaitable<void> tell_broken(std::weak_ptr<Current> scheduler, std::string why);

  net::asio::any_io_executor executor_;
  framework::Shape shape_;
  Place place_;
  core::Millis registration_timeout_;
  Sink sink_;
  std::unique_ptr<pslite::Scheduler> scheduler_;
  std::shared_ptr<Current> current_;
  bool begun_ = false;
};

}  // namespace ydl::master
