#pragma once

#include "agent/scheduler_host.hpp"
#include "framework/framework.hpp"
#include "job/types.hpp"
#include "master/plan.hpp"
#include "net/asio.hpp"
#include "protocol/commands.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ydl::master {

// What the tasks of an MXNet job register with: the parameter server's scheduler, one for each start of all tasks. The
// agent of the first server runs it, so that it goes on while there is no master; where tasks cannot reach that agent,
// this process does (docs/adr/0019). Either way it is told the same.
//
// Life cycle: open(), launching() and ended() for single tasks, close(); then open() again. Single-threaded.
class Rendezvous {
 public:
  struct Options {
    protocol::SchedulerPlan plan;
    std::optional<core::TaskId> at;  // the task whose agent runs it; nothing: this process does
    std::string master;              // where tasks reach this process
    std::optional<std::pair<std::uint16_t, std::uint16_t>> port_range;  // none: the kernel chooses
    std::function<std::vector<std::string>()> agent_addresses;          // may be empty
    std::function<std::optional<int>(const core::TaskId&)> attempt_of;  // the task's attempt now
  };
  struct Sink {
    std::function<void(protocol::Notice)> pass;  // to the agent of its attempt
    // Of a scheduler in this process; those of agents are reported (protocol/reports.hpp).
    std::function<void(std::string)> broken;
    std::function<void(std::string)> note;
  };

  Rendezvous(net::asio::any_io_executor executor, Options options, Sink sink)
      : executor_(std::move(executor)), options_(std::move(options)), sink_(std::move(sink)) {}

  // Errors: this process finds no port for it.
  [[nodiscard]] core::Result<void> open();
  void close();

  // What the agent of this task is to run; nothing for all tasks but one.
  [[nodiscard]] std::optional<protocol::SchedulerPlan> scheduler_of(const core::TaskId& task) const;
  // Moves the scheduler's port out of those of the task whose agent runs it.
  void put_into(framework::Gang& gang) const;

  // These are about to start.
  void launching(const framework::Gang& gang, const std::vector<core::AttemptId>& attempts);
  void ended(const job::MemberEnded& member);
  // All that a scheduler which runs must know of the job as it is now.
  void say_again(const framework::Gang& gang, const job::Snapshot& snapshot);

 private:
  // The attempt whose agent is told; in this process it names nobody.
  [[nodiscard]] core::AttemptId attempt() const;
  void tell(protocol::Notice notice);
  [[nodiscard]] net::awaitable<void> tell_broken(std::weak_ptr<agent::SchedulerHost> scheduler, std::string why);

  net::asio::any_io_executor executor_;
  Options options_;
  Sink sink_;
  bool is_open_ = false;
  std::shared_ptr<agent::SchedulerHost> here_;
};

// The scheduler that the job needs, listening on this address.
[[nodiscard]] protocol::SchedulerPlan scheduler_plan(const JobPlan& plan, std::string listen);

// The task of an MXNet job whose agent runs the scheduler: the first server. Nothing where that cannot be: the job has
// no server, a server may be lost without a start of all tasks, or the agents are in a network of their own, where the
// address of their host does not lead to them.
[[nodiscard]] std::optional<core::TaskId> scheduler_task(const JobPlan& plan, core::ClusterKind cluster);

// What a scheduler must be told of tasks in these states, beside that they were expected. Pure.
[[nodiscard]] std::vector<job::MemberEnded> ends_in(const job::Snapshot& snapshot);

}  // namespace ydl::master
