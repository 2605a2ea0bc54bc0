#include "agent/saving.hpp"

#include "agent/files/workspace.hpp"
#include "core/log.hpp"
#include "core/strings.hpp"
#include "files/log_times.hpp"
#include "hdfs/paths.hpp"

#include <algorithm>
#include <memory>
#include <stop_token>
#include <utility>

#include <fmt/format.h>

namespace ydl::agent {
namespace {

// How long a task that has ended waits while HDFS accepts nothing of its log.
constexpr core::Millis kLogPatience = core::Seconds(60);
// Less than the time that a master waits for a stopped task to end.
constexpr core::Millis kReportEvery = core::Seconds(3);
// An index has less than 30 bytes for each second.
constexpr std::uint64_t kIndexBlock = std::uint64_t{1} << 20U;
constexpr core::Millis kIndexPeriod = core::Seconds(5);
constexpr core::Millis kIndexPatience = core::Seconds(5);  // HDFS has just accepted the log itself

}  // namespace

Saving::Saving(const TaskContext& context, const protocol::Prepare& request, Copying& copying)
    : context_(context), request_(request), copying_(copying), ended_(context.executor) {}

void Saving::copy_logs() {
  if (request_.remote_logs.empty()) return;
  const auto trouble = [report = context_.report, attempt = request_.attempt,
                        said = std::make_shared<bool>(false)](const core::Error& error) {
    if (std::exchange(*said, true)) return;  // both logs are copied to the same HDFS, so one note is enough
    report(protocol::Note{attempt, fmt::format("its log cannot be copied to HDFS right now ({}); the task continues, "
                                               "and ydl tries again",
                                               error.message)});
  };
  for (const auto stream : {protocol::LogStream::standard_output, protocol::LogStream::standard_error})
    copy_log(name(stream), trouble);
  for (const auto stream : {protocol::LogStream::standard_output, protocol::LogStream::standard_error})
    copy_index(name(stream));
}

// The lines of a log without an index have no times. Its user is not told: the log itself is complete.
void Saving::copy_index(std::string_view log) {
  const auto file = fmt::format("{}{}", log, files::kTimesSuffix);
  hdfs::LogCopy::Options options{std::filesystem::path(request_.log_directory) / file,
                                 hdfs::join_path(request_.remote_logs, file), [](const core::Error&) {}};
  options.block_size = kIndexBlock;
  options.flush_period = kIndexPeriod;
  index_copies_.push_back(
      std::make_shared<hdfs::LogCopy>(context_.executor, *context_.surroundings.hdfs, std::move(options)));
  index_copies_.back()->start();
}

void Saving::copy_stacks() {
  if (!request_.remote_logs.empty()) copy_log(kStacksFile, [](const core::Error&) {});
}

void Saving::copy_log(std::string_view file, std::function<void(const core::Error&)> trouble) {
  log_copies_.push_back(std::make_shared<hdfs::LogCopy>(
      context_.executor, *context_.surroundings.hdfs,
      hdfs::LogCopy::Options{std::filesystem::path(request_.log_directory) / file,
                             hdfs::join_path(request_.remote_logs, file), std::move(trouble)}));
  log_copies_.back()->start();
}

void Saving::cancel() {
  for (const auto& copy : log_copies_) copy->cancel();
  for (const auto& copy : index_copies_) copy->cancel();
}

net::awaitable<void> Saving::report_until_done() {
  for (;;) {
    co_await ended_.wait(kReportEvery);
    if (done_) co_return;
    context_.report(protocol::TaskSaving{request_.attempt});
  }
}

net::awaitable<std::string> Saving::run(job::ExitStatus status, ResultsStamp fetched) {
  std::string problem;
  if (auto kept = co_await keep_results_here(); !kept) {
    core::log("{}: {}", request_.attempt.str(), kept.error().message);
    problem = kept.error().message;
  }
  if (!request_.remote_results.empty()) {
    saved_results_ = fetched;
    const Manifest manifest{request_.attempt, status, core::wall_now(), {}, {}};
    const auto target = context_.surroundings.file_systems->locate(request_.remote_results);
    const auto saved = target ? co_await save_results(*target->fs, target->path, request_.results_directory, manifest,
                                                      std::move(fetched), copying_)
                              : core::fail(target.error());
    if (saved) saved_results_ = Manifest::stamp_in(manifest.to_json());
    if (!saved) {
      core::log("{}: {}", request_.attempt.str(), saved.error().message);
      problem = fmt::format("its results could not be saved as {}: {}", request_.remote_results, saved.error().message);
    }
  }
  co_await finish_logs();
  done_ = true;
  ended_.notify();
  co_return problem;
}

// This runs in the worker, because moving results to another file system takes as long as a copy.
net::Async<> Saving::keep_results_here() const {
  auto kept = std::make_shared<core::Result<>>();
  const auto keep = [kept, request = request_](const std::stop_token& stop) { *kept = keep_results(request, stop); };
  if (auto ran = co_await context_.machine.worker().run(keep); !ran) co_return ran;
  co_return *kept;
}

net::awaitable<void> Saving::finish_logs() {
  for (const auto& copy : log_copies_) {
    const auto patience = std::min(kLogPatience, context_.surroundings.hdfs_patience);
    if (auto finished = co_await copy->finish(patience); !finished && !copying_.cancelled) {
      context_.report(protocol::Note{request_.attempt,
                                     fmt::format("the end of its log is missing in HDFS: {}; the complete log is in {}",
                                                 finished.error().message, request_.log_directory)});
    }
    if (copy->lost() > 0) {
      context_.report(protocol::Note{
          request_.attempt, fmt::format("its log in HDFS lacks {} in the middle, because the task truncated its log "
                                        "before they were copied",
                                        core::plural(static_cast<std::int64_t>(copy->lost()), "byte"))});
    }
    copy->cancel();
  }
  log_copies_.clear();
  for (const auto& copy : index_copies_) {
    if (!copying_.cancelled) (void)co_await copy->finish(kIndexPatience);
    copy->cancel();
  }
  index_copies_.clear();
}

}  // namespace ydl::agent
