// What a task has on HDFS: inputs and earlier results before it starts, logs while it runs, results when it has ended.
// And what happens between the end of its process and the report of it.
#include "agent/task.hpp"
#include "core/log.hpp"
#include "core/strings.hpp"
#include "hdfs/paths.hpp"
#include "net/spawn.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ydl::agent {
namespace {

// A task that has ended waits so long for HDFS to take something of its log.
constexpr core::Millis kLogPatience = core::Seconds(60);
constexpr core::Millis kSayEvery = core::Seconds(3);  // less than a master waits for the end of a task that was stopped

}  // namespace

// Inputs lie beside the working directory and are linked into it: what is really in it counts as the task's work.
net::Async<> Task::fetch_from_hdfs() {
  auto& fs = *surroundings_.hdfs;
  std::vector<Link> links;
  for (const auto& input : request_.inputs) {
    const auto path = fs.resolve(input.path);
    if (!path) co_return core::fail(path.error().within("the input"));
    const auto target = std::filesystem::path(request_.working_directory + ".inputs") / input.name;
    auto brought = co_await download_tree(fs, *path, target, Names::as_they_are, copying_);
    if (!brought) co_return core::fail(brought.error().within(fmt::format("the input {}", input.path)));
    links.push_back({target.string(), input.name});
  }
  request_.links.insert(request_.links.begin(), links.begin(), links.end());
  if (request_.remote_results.empty()) co_return core::Result<>{};
  auto fetched = co_await fetch_results(fs, request_.remote_results, request_.results_directory, copying_);
  if (!fetched) co_return core::fail(fetched.error().within("what earlier attempts left cannot be fetched"));
  fetched_results_ = *std::move(fetched);
  co_return core::Result<>{};
}

void Task::copy_logs_to_hdfs() {
  const auto trouble = [weak = weak_from_this(), said = std::make_shared<bool>(false)](const core::Error& error) {
    const auto self = weak.lock();
    if (self == nullptr || std::exchange(*said, true)) return;  // both logs go to the same HDFS
    self->report_(Note{self->request_.attempt,
                       fmt::format("its log cannot be copied to HDFS for now ({}); it is tried again, and the task "
                                   "goes on",
                                   error.message)});
  };
  for (const auto stream : {LogStream::standard_output, LogStream::standard_error}) {
    const auto file = name(stream);
    log_copies_.push_back(
        std::make_shared<LogCopy>(executor_, *surroundings_.hdfs,
                                  LogCopy::Options{std::filesystem::path(request_.log_directory) / file,
                                                   hdfs::join_path(request_.remote_logs, file), trouble}));
    log_copies_.back()->start();
  }
}

// Whoever waits for the task's end hears that something is still going on.
net::awaitable<void> Task::say_that_it_saves() {
  const auto self = shared_from_this();
  for (;;) {
    co_await saved_.wait(kSayEvery);
    if (!saving_) co_return;
    report_(TaskSaving{request_.attempt});
  }
}

net::awaitable<void> Task::save(TaskExited exited) {
  const auto self = shared_from_this();
  saving_ = true;
  net::spawn(executor_, "reporting that results are saved", say_that_it_saves());
  co_await remove_container();
  read_log();
  if (auto kept = co_await keep_results_here(); !kept) {
    core::log("{}: {}", request_.attempt.str(), kept.error().message);
    exited.problem = kept.error().message;
  }
  if (!request_.remote_results.empty()) {
    if (auto saved = co_await save_to_hdfs(exited); !saved) {
      core::log("{}: {}", request_.attempt.str(), saved.error().message);
      exited.problem =
          fmt::format("its results could not be saved as {}: {}", request_.remote_results, saved.error().message);
    }
  }
  co_await finish_logs();
  saving_ = false;
  saved_.notify();
  report_(std::move(exited));
}

// In the worker: from one file system to another it takes as long as a copy.
net::Async<> Task::keep_results_here() {
  auto kept = std::make_shared<core::Result<>>();
  const auto keep = [kept, request = request_](const std::stop_token& stop) { *kept = keep_results(request, stop); };
  if (auto ran = co_await machine_.worker().run(keep); !ran) co_return ran;
  co_return *kept;
}

net::awaitable<void> Task::finish_logs() {
  for (const auto& copy : log_copies_) {
    const auto patience = std::min(kLogPatience, surroundings_.hdfs_patience);
    if (auto finished = co_await copy->finish(patience); !finished && !copying_.cancelled) {
      report_(
          Note{request_.attempt, fmt::format("the copy of its log on HDFS lacks its end: {}; the whole log is in {}",
                                             finished.error().message, request_.log_directory)});
    }
    if (copy->lost() > 0) {
      report_(Note{request_.attempt,
                   fmt::format("the copy of its log on HDFS lacks {} in the middle: the task cut its log before HDFS "
                               "had taken them",
                               core::plural(static_cast<std::int64_t>(copy->lost()), "byte"))});
    }
    copy->cancel();
  }
  log_copies_.clear();
}

net::Async<> Task::save_to_hdfs(const TaskExited& exited) {
  co_return co_await save_results(*surroundings_.hdfs, request_.remote_results, request_.results_directory,
                                  {request_.attempt, exited.status, core::wall_now(), {}, {}}, fetched_results_,
                                  copying_);
}

}  // namespace ydl::agent
