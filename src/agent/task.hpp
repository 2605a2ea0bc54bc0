#pragma once

#include "agent/cgroup.hpp"
#include "agent/gang_file.hpp"
#include "agent/gpus.hpp"
#include "agent/held_ports.hpp"
#include "agent/log_copy.hpp"
#include "agent/log_tail.hpp"
#include "agent/port_owner.hpp"
#include "agent/proc_tree.hpp"
#include "agent/protocol.hpp"
#include "agent/results_store.hpp"
#include "agent/task_process.hpp"
#include "agent/workspace.hpp"
#include "net/asio.hpp"
#include "net/worker.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ydl::agent {

using ReportSink = std::function<void(Report)>;

// What an agent hands out to its tasks.
class Machine {
 public:
  // Looked up when first asked for: most jobs need neither, and nvidia-smi takes a second. Tasks that ask at the same
  // time share one look. Errors: those of discover_gpus.
  [[nodiscard]] net::Async<GpuPool*> gpus();
  void release(std::span<const Gpu> gpus);
  [[nodiscard]] Cgroups& cgroups();
  [[nodiscard]] GangFile& gang_file() { return gang_file_; }

  // Does what would block the agent's loop: copies of results, programs of the system.
  [[nodiscard]] net::Worker& worker() { return worker_; }

  // The reapers of living tasks: whoever else descends from the agent is a stray.
  [[nodiscard]] const std::vector<pid_t>& reapers() const { return reapers_; }
  void add_reaper(pid_t pid);
  void remove_reaper(pid_t pid);

 private:
  struct GpuLook {
    explicit GpuLook(const net::asio::any_io_executor& executor) : ended(executor) {}
    net::Signal ended;
    std::optional<core::Result<>> result;
  };

  std::vector<pid_t> reapers_;
  std::optional<GpuPool> gpus_;
  std::shared_ptr<GpuLook> look_;  // while nvidia-smi runs
  std::optional<Cgroups> cgroups_;
  GangFile gang_file_;
  net::Worker worker_;
};

// What a look at all tasks finds out once for all of them, when the first needs it.
class LookRound {
 public:
  // Null when the system does not tell.
  [[nodiscard]] const Listeners* listeners();
  [[nodiscard]] const std::vector<ProcessLink>& processes();

 private:
  std::optional<core::Result<Listeners>> listeners_;
  std::optional<std::vector<ProcessLink>> processes_;
};

// What an agent tells all its tasks.
struct Surroundings {
  std::string wrong_place;           // why no task may run here: the container is not in the image that was asked for
  std::string job;                   // names their cgroups
  bool own_group = true;             // LaunchRequest::own_group
  std::string home = {};             // for tasks, where the agent has no HOME that could be one
  hdfs::FileSystem* hdfs = nullptr;  // none: nothing leaves this machine
  core::Millis hdfs_patience = std::chrono::minutes(5);  // how long results are tried to be saved
};

// One attempt of a task at its agent: what it holds from Prepare to Release, and its process in between.
class Task : public std::enable_shared_from_this<Task> {
 public:
  Task(net::asio::any_io_executor executor, Machine& machine, const Surroundings& surroundings, Prepare request,
       ReportSink report);
  ~Task();
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  // Brings its image, inputs and earlier results, makes directories, holds ports, GPUs and a cgroup; reports Prepared
  // or PrepareFailed.
  void prepare(DirectoryListings& listings);
  // The three steps of a launch; of many tasks each step is done for all before the next (TaskProcess::Prepared).
  // Reports TaskStarted or TaskStartFailed, later TaskExited.
  void make_ready(Launch request);
  void start();
  void watch();
  void stop(core::Millis grace);
  void kill();
  // As kill, and returns when nothing of it runs any more. What it ended with is reported to nobody.
  void end();
  // As kill; and what is being copied to or from HDFS is given up.
  void give_up();

  [[nodiscard]] LogPiece log_piece(const ReadLog& question) const;

  // Looks at the log and, in the first minutes, at who listens on its ports; to be called a few times a second.
  void look(LookRound& round);

  [[nodiscard]] bool running() const { return process_ != nullptr && !process_->finished(); }
  [[nodiscard]] pid_t reaper_pid() const { return process_ == nullptr ? 0 : process_->reaper_pid(); }

 private:
  [[nodiscard]] bool needs_hdfs() const;
  [[nodiscard]] net::awaitable<void> fetch_and_prepare();
  void prepare_here(DirectoryListings& listings);
  [[nodiscard]] net::Async<> take_gpus();
  [[nodiscard]] core::Result<void> take_ports_and_limits();
  void tell_of_hidden_gpus(const Launch& request);
  // task_image.cpp
  [[nodiscard]] core::Result<void> check_image() const;
  [[nodiscard]] net::Async<> fetch_image();
  void put_into_image(LaunchRequest& launch, const std::map<std::string, std::string>& asked) const;
  [[nodiscard]] std::string container_name() const;
  [[nodiscard]] std::vector<std::string> removal_command() const;
  [[nodiscard]] net::awaitable<void> remove_container();
  void remove_container_now() const;
  // task_hdfs.cpp
  [[nodiscard]] net::Async<> fetch_from_hdfs();
  void copy_logs_to_hdfs();
  [[nodiscard]] net::awaitable<void> save(TaskExited exited);
  [[nodiscard]] net::awaitable<void> say_that_it_saves();
  [[nodiscard]] net::Async<> keep_results_here();
  [[nodiscard]] net::awaitable<void> finish_logs();
  [[nodiscard]] net::Async<> save_to_hdfs(const TaskExited& exited);
  // task.cpp
  [[nodiscard]] LaunchRequest launch_request(Launch request) const;
  [[nodiscard]] net::awaitable<void> follow();
  void on(const Launched& event);
  void on(const LaunchFailed& event);
  void on(const Ended& event);
  void on(const ReaperLost& event);
  void ended(const job::ExitStatus& status, int leftovers);
  void start_failed(job::Cause cause, std::string reason);
  // task_watch.cpp
  void read_log();
  void watch_ports();
  void check_ports(LookRound& round);

  net::asio::any_io_executor executor_;
  Machine& machine_;
  const Surroundings& surroundings_;
  Prepare request_;
  ReportSink report_;

  Copying copying_;
  bool saving_ = false;  // from the process's end to TaskExited
  net::Signal saved_;
  bool was_stopped_ = false;  // by us: what then still ran was not left behind by the task
  ResultsStamp fetched_results_;
  std::vector<std::shared_ptr<LogCopy>> log_copies_;

  HeldPorts ports_;
  std::vector<Gpu> gpus_;
  std::optional<TaskCgroup> cgroup_;
  std::optional<core::Result<TaskProcess::Prepared>> ready_;  // from make_ready to watch
  std::optional<core::Result<TaskProcess>> started_;          // from start to watch
  std::unique_ptr<TaskProcess> process_;

  LogTail out_;
  LogTail err_;
  LogTail* latest_ = &err_;  // which of them grew last
  std::string said_line_;
  std::optional<Progress> said_progress_;

  std::vector<std::uint16_t> unchecked_ports_;  // whose listener was not seen yet
  core::Instant next_port_check_{};
  core::Instant last_port_check_{};
};

}  // namespace ydl::agent
