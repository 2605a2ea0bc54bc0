#pragma once

#include "agent/process/launch_request.hpp"
#include "core/clock.hpp"
#include "core/files.hpp"
#include "core/result.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <sys/types.h>
#include <variant>

namespace ydl::agent {

class SpawnPlan;

// The events of a task: first Launched, and then Ended or ReaperLost; or only LaunchFailed or ReaperLost.
struct Launched {
  pid_t pid = 0;
};
struct LaunchFailed {
  core::Error error;
  bool permanent = false;  // another launch on this machine would fail too
};
struct Ended {
  int exit_code = 0;  // if signal is 0
  int signal = 0;
  std::uint64_t peak_rss_bytes = 0;  // of the largest single process; only a cgroup has the sum
  int leftovers_killed = 0;          // processes that still ran when the main one had ended
  int survivors = 0;                 // processes that could not be killed in 10 s: another user's, or stuck in I/O
  bool agent_was_silent = false;     // the reaper killed it for that: LaunchRequest::agent_silence
};
// The reaper was killed, and the task's main process with it. The other processes became children of the agent, which
// must then call kill_leftovers.
struct ReaperLost {};
using TaskEvent = std::variant<Launched, LaunchFailed, Ended, ReaperLost>;

// The process tree of one task. It ends completely when this object is destroyed. Not thread-safe: a launch forks, and
// the kernel ends the reaper together with the thread that launched it. No function waits for the task; the driver
// polls fd() and calls read_event() when it is readable. This class collects the reapers, so the agent must not call
// waitpid(-1).
class TaskProcess {
 public:
  // A launch that is complete except for the fork. Each page of memory that is written between two forks is copied,
  // which takes longer than the fork itself. To launch many tasks, first prepare all of them and then start all.
  class Prepared;
  // Errors: the request is invalid.
  [[nodiscard]] static core::Result<Prepared> prepare(LaunchRequest request);

  // Prepares and starts in one step.
  [[nodiscard]] static core::Result<TaskProcess> launch(LaunchRequest request);

  TaskProcess(TaskProcess&&) noexcept = default;
  TaskProcess& operator=(TaskProcess&& other) noexcept;
  // Kills all processes of the task and waits until they have ended, which takes milliseconds. To end many tasks, call
  // kill() on all of them first.
  ~TaskProcess();

  [[nodiscard]] int fd() const { return control_.get(); }
  // The next event, or nothing if there is none yet or after the last one.
  [[nodiscard]] std::optional<TaskEvent> read_event();
  [[nodiscard]] bool finished() const { return finished_; }

  // Sends SIGTERM to the task now (to its group, or without one to each process), and SIGKILL to the remaining
  // processes after `grace`. If it is called again, the earlier deadline counts.
  void stop(core::Millis grace);
  // Sends SIGKILL to all processes now.
  void kill();
  // Signals to the reaper that the agent runs. Call this several times in LaunchRequest::agent_silence.
  void beat();

  // For kill_leftovers().
  [[nodiscard]] pid_t reaper_pid() const { return reaper_.pid; }

 private:
  // A process id that moves: a moved-from object has none.
  struct Child {
    pid_t pid = 0;
    Child() = default;
    explicit Child(pid_t id) : pid(id) {}
    Child(Child&& other) noexcept : pid(std::exchange(other.pid, 0)) {}
    Child& operator=(Child&& other) noexcept {
      pid = std::exchange(other.pid, 0);
      return *this;
    }
  };

  TaskProcess(core::UniqueFd control, pid_t reaper, std::unique_ptr<LaunchRequest> request);
  [[nodiscard]] TaskEvent finish(TaskEvent event);
  void collect_reaper();
  void close();

  core::UniqueFd control_;
  Child reaper_;
  std::unique_ptr<LaunchRequest> request_;  // kept until the launch has succeeded, to explain a failure
  bool finished_ = false;
};

class TaskProcess::Prepared {
 public:
  explicit Prepared(LaunchRequest request);
  ~Prepared();
  Prepared(Prepared&&) noexcept;

  // Call this once. Returns as soon as the reaper is forked; the first event tells whether the command could be run.
  // Errors: the limit of processes or descriptors is reached.
  [[nodiscard]] core::Result<TaskProcess> start();

 private:
  std::unique_ptr<LaunchRequest> request_;
  std::unique_ptr<SpawnPlan> plan_;
};

}  // namespace ydl::agent
