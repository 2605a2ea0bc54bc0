#pragma once

#include "agent/files/results_store.hpp"
#include "agent/files/tree_copy.hpp"
#include "agent/task_context.hpp"
#include "core/result.hpp"
#include "hdfs/log_copy.hpp"
#include "job/types.hpp"
#include "net/asio.hpp"
#include "protocol/commands.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ydl::agent {

// Keeps what a task leaves: its log on HDFS while it runs, then its results. Its task owns what it refers to, and lives
// until run() has returned.
class Saving {
 public:
  Saving(const TaskContext& context, const protocol::Prepare& request, Copying& copying);

  // Begins to copy the log to HDFS, if the request says where to. The task has been launched.
  void copy_logs();
  // The same for what its processes were doing when it hung, which is written now.
  void copy_stacks();
  // The task's process has ended: keeps its results and the end of its log. Returns why its results are not where they
  // should be; empty if they are.
  [[nodiscard]] net::awaitable<std::string> run(job::ExitStatus status, ResultsStamp fetched);
  // Reports every few seconds that the task is saving, until run() has ended: whoever waits for the task's end learns
  // that something is still going on.
  [[nodiscard]] net::awaitable<void> report_until_done();
  // What is being copied to HDFS is given up.
  void cancel();
  // After run(): which results on HDFS are the ones in the results folder, or older than those.
  [[nodiscard]] const ResultsStamp& saved_results() const { return saved_results_; }

 private:
  void copy_log(std::string_view file, std::function<void(const core::Error&)> trouble);
  [[nodiscard]] net::Async<> keep_results_here() const;
  [[nodiscard]] net::awaitable<void> finish_logs();

  const TaskContext& context_;
  const protocol::Prepare& request_;
  Copying& copying_;
  std::vector<std::shared_ptr<hdfs::LogCopy>> log_copies_;
  ResultsStamp saved_results_;
  bool done_ = false;
  net::Signal ended_;
};

}  // namespace ydl::agent
