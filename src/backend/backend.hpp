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

// What a backend tells the master, and what it may ask it.
struct Sink {
  std::function<void(job::Event)> event;
  std::function<void(const protocol::TaskOutput&)> output;
  std::function<void(std::string)> note;                  // a sentence for the user
  std::function<double()> progress = [] { return 0.0; };  // how much of the job is done now, from 0 to 1
  std::function<void(std::string why)> replaced = {};     // another master has the job: this one has to end
};

// What a task needs before it can start. Where its files lie on its host is for the backend to know.
struct TaskRequest {
  core::AttemptId attempt;
  int ports = 0;
  std::optional<std::pair<std::uint16_t, std::uint16_t>> port_range = std::nullopt;
  int gpus = 0;
  protocol::HostGpus host_gpus = protocol::HostGpus::hidden;
  std::uint64_t memory = 0;  // bytes, where the user asked for a limit; else 0
  int vcores = 0;            // the same
  std::vector<protocol::Input> inputs = {};
  std::optional<protocol::Image> image = std::nullopt;
  // As in job::Ask.
  std::optional<core::AttemptId> takes_over = std::nullopt;
  std::vector<std::uint16_t> same_ports = {};
  std::set<std::string> not_on = {};
  core::Millis stall_timeout{0};  // as in protocol::Prepare
  // Where results are saved while a task runs: at most this often.
  core::Millis save_every{0};
  // What it continues from: those of this job's tasks, then other folders. The first one that has something counts.
  std::vector<core::TaskId> continues_tasks = {};
  std::vector<protocol::Restorable> continues_folders = {};
  std::optional<protocol::SchedulerPlan> scheduler = std::nullopt;  // as in protocol::Prepare
};

// Where tasks run: this machine, hosts over SSH, a YARN cluster, a script for tests. The master states what a task
// needs and is told job events; how a task gets a host and an agent is left to the backend. What agents report becomes
// job events in one way for all backends (report_translation.hpp).
//
// Life cycle: open(), then any of the four verbs, then close(). Single-threaded. For each attempt the answers are
//   place   -> (Granted, Reached,) Placed | NotPlacedYet… | HostFailed… | CannotPlace, or Lost afterwards; Lost as well
//              if it is to have the same ports and cannot
//   launch  -> Started or StartFailed, later Exited or Lost; Exited with success only when its results are saved
//   stop    -> Exited or Lost
//              With takes_over the attempt before it, which may still run, is released; its container stays and
//              is used again if it can be.
//   release -> Exited or Lost if it still ran, else nothing; everything the attempt had is free
// One conformance suite (tests/conformance) holds for all of them.
class Backend {
 public:
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  virtual ~Backend() = default;

  // Ready to place tasks, or why not.
  [[nodiscard]] virtual net::Async<> open() = 0;

  virtual void place(TaskRequest request) = 0;
  virtual void launch(protocol::Launch request) = 0;
  virtual void stop(protocol::Stop request) = 0;
  virtual void release(const core::AttemptId& attempt) = 0;
  // To the attempt's agent, as it is; dropped where it has none. What is about a task is for one that may run, what is
  // about a scheduler for an attempt that was placed and not released.
  virtual void pass(protocol::Notice notice) = 0;

  // Job::AvoidHost and ForgiveHost, by the name that Place::node has. A backend of one host ignores them.
  virtual void avoid(const std::string& /*node*/) {}
  virtual void forgive(const std::string& /*node*/) {}

  // An attempt that an earlier master has placed: what launch, stop and release are answered with follows, or Lost. To
  // be called after open() and before anything else about the attempt; then adopted_all(), upon which whatever else the
  // earlier master has left is ended. Only where another master can take a job over.
  virtual void adopt(TaskRequest /*request*/, const job::Adopt& adopted) {
    YDL_ASSERT(adopted.attempt.attempt == 0 && "this backend ends with its master");
  }
  virtual void adopted_all() {}

  // Ends whatever still runs and frees everything, also when open() failed. `outcome` is reported to the cluster (on
  // YARN as the application's final status).
  [[nodiscard]] virtual net::awaitable<void> close(const job::Outcome& outcome) = 0;
};

}  // namespace ydl::backend
