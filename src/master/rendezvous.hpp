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

// The scheduler of the parameter servers, with which the tasks of an MXNet job register. There is one for each start of
// all tasks. The agent of the first server runs it, so that it keeps running without a master. If tasks cannot reach
// that agent, this process runs it (docs/adr/0019). It gets the same commands in both cases.
//
// Life cycle: open(), launching() and ended() for single tasks, close(); then open() again. Single-threaded.
class Rendezvous {
 public:
  struct Options {
    protocol::SchedulerPlan plan;
    std::optional<core::TaskId> at;  // the task whose agent runs it; nothing: this process runs it
    std::string master;              // the address at which tasks reach this process
    std::optional<std::pair<std::uint16_t, std::uint16_t>> port_range;  // nothing: the kernel chooses
    std::function<std::vector<std::string>()> agent_addresses;          // may be empty
    std::function<std::optional<int>(const core::TaskId&)> attempt_of;  // the task's current attempt
  };
  struct Sink {
    std::function<void(protocol::Notice)> pass;  // sends a command to the agent of its attempt
    // Called for a scheduler in this process; agents send reports instead (protocol/reports.hpp).
    std::function<void(std::string)> broken;
    std::function<void(std::string)> note;
  };

  Rendezvous(net::asio::any_io_executor executor, Options options, Sink sink)
      : executor_(std::move(executor)), options_(std::move(options)), sink_(std::move(sink)) {}

  // Errors: there is no free port for it in this process.
  [[nodiscard]] core::Result<void> open();
  void close();

  // The scheduler that the agent of this task must run; nothing for all tasks except one.
  [[nodiscard]] std::optional<protocol::SchedulerPlan> scheduler_of(const core::TaskId& task) const;
  // Moves the port of the scheduler from its task's ports to the gang.
  void put_into(framework::Gang& gang) const;

  // These tasks are about to start.
  void launching(const framework::Gang& gang, const std::vector<core::AttemptId>& attempts);
  void ended(const job::MemberEnded& member);
  // Repeats the current state of the job to a running scheduler.
  void repeat_state(const framework::Gang& gang, const job::Snapshot& snapshot);

 private:
  // The attempt whose agent gets the commands; empty if the scheduler runs in this process.
  [[nodiscard]] core::AttemptId attempt() const;
  void tell(protocol::Notice notice);
  [[nodiscard]] net::awaitable<void> tell_broken(std::weak_ptr<agent::SchedulerHost> scheduler, std::string why);

  net::asio::any_io_executor executor_;
  Options options_;
  Sink sink_;
  bool is_open_ = false;
  std::shared_ptr<agent::SchedulerHost> here_;
};

// The settings of the job's scheduler, which listens on this address.
[[nodiscard]] protocol::SchedulerPlan scheduler_plan(const JobPlan& plan, std::string listen);

// The task of an MXNet job whose agent runs the scheduler, which is the first server. Nothing if that is not possible:
// the job has no server, a server may be lost without a restart of all tasks, or the agents are in a separate network
// and cannot be reached at the address of their host.
[[nodiscard]] std::optional<core::TaskId> scheduler_task(const JobPlan& plan, core::ClusterKind cluster);

// The ends of tasks that a scheduler must be told in addition to the expected tasks. Pure.
[[nodiscard]] std::vector<job::MemberEnded> ends_in(const job::Snapshot& snapshot);

}  // namespace ydl::master
