#pragma once

#include "core/assert.hpp"
#include "core/ids.hpp"
#include "job/types.hpp"
#include "net/asio.hpp"
#include "protocol/commands.hpp"
#include "protocol/reports.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ydl::backend {

// What a backend reports to the master, and what it may ask it.
struct Sink {
  std::function<void(job::Event)> event;
  std::function<void(const protocol::TaskOutput&)> output;
  std::function<void(std::string)> note;                  // a sentence for the user
  std::function<double()> progress = [] { return 0.0; };  // the progress of the job, from 0 to 1
  std::function<void(std::string why)> replaced = {};     // another master has the job, so this one must end
};

// What a task needs before it can start. The paths on its host are chosen by the backend.
struct TaskRequest {
  core::AttemptId attempt;
  int ports = 0;
  std::optional<std::pair<std::uint16_t, std::uint16_t>> port_range = std::nullopt;
  int gpus = 0;
  protocol::HostGpus host_gpus = protocol::HostGpus::hidden;
  std::uint64_t memory = 0;  // bytes, if the user set a limit; else 0
  int vcores = 0;            // the same
  std::vector<protocol::Input> inputs = {};
  std::optional<protocol::Image> image = std::nullopt;
  // As in job::Ask.
  std::optional<core::AttemptId> takes_over = std::nullopt;
  std::vector<std::uint16_t> same_ports = {};
  std::set<std::string> not_on = {};
  core::Millis stall_timeout{0};  // as in protocol::Prepare
  // The shortest time between two saves of a running task.
  core::Millis save_every{0};
  // The folders to continue from: those of tasks of this job, then others. The first one that is not empty is used.
  std::vector<core::TaskId> continues_tasks = {};
  std::vector<protocol::Restorable> continues_folders = {};
  std::optional<protocol::SchedulerPlan> scheduler = std::nullopt;  // as in protocol::Prepare
};

// Where tasks run: this machine, a YARN cluster, or a script for tests. The master states what a task needs and
// receives job events. The backend finds hosts and starts agents. All backends translate the reports of agents in the
// same way (report_translation.hpp).
//
// Life cycle: open(), then any of the four verbs, then close(). Single-threaded. For each attempt the answers are
//   `place` -> (Granted, Reached,) Placed | NotPlacedYet… | HostFailed… | CannotPlace, or Lost afterwards. Also Lost if
//              it must have the same ports and cannot
//   launch  -> Started or StartFailed, later Exited or Lost; a successful Exited only once its results are saved
//   stop    -> Exited or Lost
//              With takes_over the attempt before it, which may still run, is released; its container is kept and
//              reused if that is possible.
//   release -> Exited or Lost if it was still running, else nothing; its resources are free
// All backends must pass the same conformance suite (tests/conformance).
class Backend {
 public:
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  virtual ~Backend() = default;

  // Prepares the backend to place tasks.
  [[nodiscard]] virtual net::Async<> open() = 0;

  virtual void place(TaskRequest request) = 0;
  virtual void launch(protocol::Launch request) = 0;
  virtual void stop(protocol::Stop request) = 0;
  virtual void release(const core::AttemptId& attempt) = 0;
  // Passes a command to the attempt's agent, or drops it if there is none. A command about a task is only for an
  // attempt that may run, one about a scheduler only for an attempt that was placed and not released.
  virtual void pass(protocol::Notice notice) = 0;

  // See job::AvoidHost and ForgiveHost; the name is that in Place::node. A backend with one host ignores them.
  virtual void avoid(const std::string& /*node*/) {}
  virtual void forgive(const std::string& /*node*/) {}

  // Adopts an attempt that an earlier master has placed. The answers to launch, stop and release follow, or Lost. Call
  // this after open() and before any other call about the attempt, and then adopted_all(), which ends all else that the
  // earlier master has left. Only for backends whose jobs can be taken over.
  virtual void adopt(TaskRequest /*request*/, const job::Adopt& adopted) {
    YDL_ASSERT(adopted.attempt.attempt == 0 && "this backend ends with its master");
  }
  virtual void adopted_all() {}

  // Ends all tasks and releases everything, also if open() failed. `outcome` is reported to the cluster (on YARN as the
  // final status of the application).
  [[nodiscard]] virtual net::awaitable<void> close(const job::Outcome& outcome) = 0;
};

}  // namespace ydl::backend
