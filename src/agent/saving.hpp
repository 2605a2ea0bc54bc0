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

// Saves what a task writes: copies its log to HDFS while it runs, and its results when it has ended. The task owns the
// objects that it refers to, and lives until run() has returned.
class Saving {
 public:
  Saving(const TaskContext& context, const protocol::Prepare& request, Copying& copying);

  // Starts to copy the log to HDFS if the request names a folder. Call this when the task was launched.
  void copy_logs();
  // The same for the stacks of its processes, which are written when it hangs.
  void copy_stacks();
  // Call this when the task's process has ended. Saves its results and the end of its log. Returns why the results
  // could not be saved; empty if they were.
  [[nodiscard]] net::awaitable<std::string> run(job::ExitStatus status, ResultsStamp fetched);
  // Reports every few seconds that the task is saving, until run() has ended. So the master knows that the task does
  // not hang.
  [[nodiscard]] net::awaitable<void> report_until_done();
  // Cancels copies to HDFS.
  void cancel();
  // After run(): identifies the results in HDFS that are the same as those in the results folder, or older.
  [[nodiscard]] const ResultsStamp& saved_results() const { return saved_results_; }

 private:
  void copy_index(std::string_view log);
  void copy_log(std::string_view file, std::function<void(const core::Error&)> trouble);
  [[nodiscard]] net::Async<> keep_results_here() const;
  [[nodiscard]] net::awaitable<void> finish_logs();

  const TaskContext& context_;
  const protocol::Prepare& request_;
  Copying& copying_;
  std::vector<std::shared_ptr<hdfs::LogCopy>> log_copies_;
  std::vector<std::shared_ptr<hdfs::LogCopy>> index_copies_;  // of the logs' indexes
  ResultsStamp saved_results_;
  bool done_ = false;
  net::Signal ended_;
};

}  // namespace ydl::agent
