#pragma once

#include "agent/earlier_attempt.hpp"
#include "agent/files/log_watch.hpp"
#include "agent/files/silence.hpp"
#include "agent/files/tree_copy.hpp"
#include "agent/files/warning_file.hpp"
#include "agent/files/workspace.hpp"
#include "agent/image/task_image.hpp"
#include "agent/preparation.hpp"
#include "agent/process/task_process.hpp"
#include "agent/resources/port_watch.hpp"
#include "agent/resources/task_resources.hpp"
#include "agent/resources/usage.hpp"
#include "agent/saves.hpp"
#include "agent/saving.hpp"
#include "agent/scheduler_host.hpp"
#include "agent/task_context.hpp"
#include "net/asio.hpp"
#include "protocol/commands.hpp"
#include "protocol/reports.hpp"

#include <memory>
#include <optional>
#include <string>

namespace ydl::agent {

// One attempt of a task at its agent: its resources from Prepare to Release, and its process in between.
//
//   Preparation ──> process, with LogWatch, PortWatch and Saves ──> Saving ──> TaskExited
class Task : public std::enable_shared_from_this<Task> {
 public:
  Task(net::asio::any_io_executor executor, Machine& machine, const Surroundings& surroundings,
       protocol::Prepare request, ReportSink report);
  ~Task();
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  // Fetches its image, inputs and earlier results, makes directories, holds ports, GPUs and a cgroup; reports Prepared
  // or PrepareFailed. First waits until `earlier`, which used the same directories, has ended completely.
  void prepare(std::shared_ptr<DirectoryListings> listings, std::optional<EarlierAttempt> earlier = std::nullopt);
  // The three steps of a launch. When many tasks are launched, each step is done for all tasks before the next step;
  // see TaskProcess::Prepared. Reports TaskStarted or TaskStartFailed, and later TaskExited. Only the first launch has
  // an effect, because a master that took over the job may repeat commands of the earlier one.
  void make_ready(protocol::Launch request);
  void start();
  void watch();
  void warn(const protocol::Warn& warning);
  void call_off();
  // For the scheduler that it runs, if its Prepare asked for one.
  void tell_scheduler(const protocol::SchedulerExpect& command);
  void tell_scheduler(const protocol::SchedulerEnded& command);
  void stop(const protocol::Stop& command);
  void kill();
  // As kill(), and returns when no process is left. The end is not reported.
  void end();
  // As kill(), and cancels copies to and from HDFS.
  void give_up();

  [[nodiscard]] protocol::LogPiece log_piece(const protocol::ReadLog& question) const { return log_.piece(question); }

  // Reads the log, checks in the first minutes which process listens on its ports, and signals to the reaper that the
  // agent runs. Call this a few times a second.
  void look(LookRound& round);

  // Where to look for what it uses; nothing while it does not run, and where its processes cannot be found from here:
  // those of a container that Docker's daemon started.
  [[nodiscard]] std::optional<UsageSource> usage_source() const;
  void note_usage(Usage usage) { log_.note_usage(usage, core::steady_now()); }

  [[nodiscard]] const protocol::Prepare& request() const { return request_; }
  [[nodiscard]] std::shared_ptr<Departure> departure() const { return departs_.departure; }
  // Notified after give_up() when no process is left. Copies may then still be in progress, so this may come before the
  // departure.
  [[nodiscard]] std::shared_ptr<Ending> processes_end() const { return departs_.processes; }

  [[nodiscard]] bool running() const { return process_ != nullptr && !process_->finished(); }
  [[nodiscard]] pid_t reaper_pid() const { return process_ == nullptr ? 0 : process_->reaper_pid(); }

 private:
  // The first member, so that it is destroyed last.
  struct Departs {
    std::shared_ptr<Departure> departure;
    std::shared_ptr<Ending> processes;
    ~Departs() {
      processes->tell();
      departure->tell();
    }
  };

  // Starts a coroutine of this task. The task lives at least until the coroutine has ended.
  void spawn(const char* name, net::awaitable<void> work);
  [[nodiscard]] net::awaitable<void> fetch_and_prepare(std::shared_ptr<DirectoryListings> listings,
                                                       std::optional<EarlierAttempt> earlier);
  [[nodiscard]] core::Result<void> start_scheduler();
  void prepare_failed(const core::Error& error) const;
  void report_hidden_gpus(const protocol::Launch& request) const;
  [[nodiscard]] LaunchRequest launch_request(protocol::Launch request) const;

  [[nodiscard]] net::awaitable<void> follow();
  void on(const Launched& event);
  void on(const LaunchFailed& event);
  void on(const Ended& event);
  void on(const ReaperLost& event);
  void start_failed(job::Cause cause, std::string reason) const;
  void ended(const job::ExitStatus& status, int leftovers);
  [[nodiscard]] net::awaitable<void> write_stacks_and_stop(core::Millis grace);
  [[nodiscard]] net::awaitable<void> save_while_it_runs();
  [[nodiscard]] net::awaitable<void> save(protocol::TaskExited exited);
  [[nodiscard]] net::awaitable<void> report_saving();

  Departs departs_;
  // Each part refers to those above it.
  TaskContext context_;
  protocol::Prepare request_;
  Copying copying_;
  TaskResources resources_;
  TaskImage image_;
  Preparation preparation_;
  WarningFile warning_;
  LogWatch log_;
  Silence silence_;
  PortWatch ports_;
  Saves saves_;
  Saving saving_;
  std::unique_ptr<SchedulerHost> scheduler_;  // if its Prepare asks for one; until its Release

  std::optional<core::Result<TaskProcess::Prepared>> ready_;  // from make_ready to watch
  std::optional<core::Result<TaskProcess>> started_;          // from start to watch
  std::unique_ptr<TaskProcess> process_;
  core::Instant last_beat_{};  // when the agent last signalled to the reaper
  core::Instant began_{};      // when the processes started
  std::string path_;           // PATH of its processes
  bool was_launched_ = false;
  bool was_terminated_ = false;  // it was sent SIGTERM because its container will be taken away
  bool writes_stacks_ = false;
  bool was_stopped_ = false;  // by the agent; processes that still run then are not leftovers of the task
};

}  // namespace ydl::agent
