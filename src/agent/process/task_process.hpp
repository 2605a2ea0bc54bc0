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

// What happens to a task, in this order: Launched, then Ended or ReaperLost; or LaunchFailed or ReaperLost alone.
struct Launched {
  pid_t pid = 0;
};
struct LaunchFailed {
  core::Error error;
  bool permanent = false;  // trying the same again on this machine cannot help
};
struct Ended {
  int exit_code = 0;  // when signal is 0
  int signal = 0;
  std::uint64_t peak_rss_bytes = 0;  // of the largest single process; a cgroup knows the sum
  int leftovers_killed = 0;          // processes that were still there when the main one had ended
  int survivors = 0;                 // processes that could not be killed in 10 s: another user's, or stuck in I/O
  bool agent_was_silent = false;     // it was killed for that: LaunchRequest::agent_silence
};
// The reaper was killed. The task's main process died with it; the rest became children of the agent, which should
// call kill_strays.
struct ReaperLost {};
using TaskEvent = std::variant<Launched, LaunchFailed, Ended, ReaperLost>;

// One task as the agent sees it: a process tree that ends completely when this object goes. Not for threads: a launch
// forks, and the kernel ties the reaper's life to the thread that launched it. Nothing here waits for the task; the
// driver polls fd() and calls read_event() when it is readable. The agent must not collect children it does not know
// (waitpid(-1)): reapers are collected here.
class TaskProcess {
 public:
  // A launch with all but the fork done. Each page of memory that is written to between two forks is copied, which
  // takes longer than the fork: to launch many tasks, prepare all, then start all.
  class Prepared;
  // Errors: the request is not usable.
  [[nodiscard]] static core::Result<Prepared> prepare(LaunchRequest request);

  // prepare and start in one.
  [[nodiscard]] static core::Result<TaskProcess> launch(LaunchRequest request);

  TaskProcess(TaskProcess&&) noexcept = default;
  TaskProcess& operator=(TaskProcess&& other) noexcept;
  // Kills what is left of the task and waits for it, which takes milliseconds. To end many, kill() all of them first.
  ~TaskProcess();

  [[nodiscard]] int fd() const { return control_.get(); }
  // The next thing that happened, or nothing yet. After the last event always nothing.
  [[nodiscard]] std::optional<TaskEvent> read_event();
  [[nodiscard]] bool finished() const { return finished_; }

  // SIGTERM to the task now (to its group, or without one to each of its processes), SIGKILL to all that is left after
  // `grace`. Called again, the earlier end counts.
  void stop(core::Millis grace);
  // SIGKILL to all of it now.
  void kill();
  // The agent runs. To be called several times in LaunchRequest::agent_silence.
  void beat();

  // For kill_strays.
  [[nodiscard]] pid_t reaper_pid() const { return reaper_.pid; }

 private:
  // A process id that a moved-from object does not keep.
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
  std::unique_ptr<LaunchRequest> request_;  // until the launch succeeded: to explain why it did not
  bool finished_ = false;
};

class TaskProcess::Prepared {
 public:
  explicit Prepared(LaunchRequest request);
  ~Prepared();
  Prepared(Prepared&&) noexcept;

  // To be called once. Returns as soon as the reaper is forked; whether the command could be run comes as the first
  // event. Errors: no process or descriptor is left.
  [[nodiscard]] core::Result<TaskProcess> start();

 private:
  std::unique_ptr<LaunchRequest> request_;
  std::unique_ptr<SpawnPlan> plan_;
};

}  // namespace ydl::agent
