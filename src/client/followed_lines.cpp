#include "client/followed_lines.hpp"

#include <utility>

#include <fmt/format.h>

namespace ydl::client {
namespace {

constexpr std::size_t kEarlierLines = 20;

}  // namespace

FollowedLines::FollowedLines(const jobs::JobFolder& folder, ShownTasks shown, TaskOutput::From from,
                             FollowScreen& screen)
    : shown_(std::move(shown)),
      screen_(screen),
      logs_(folder, {.task = shown_.only(), .stream = {}, .attempt = 0}),
      job_(folder.id().str()),
      skips_(from == TaskOutput::From::last_lines && !shown_.unchanged()) {
  if (const auto task = shown_.unchanged()) output_.emplace(folder, *task, from);
}

bool FollowedLines::show_new() {
  if (!shown_.any()) return false;
  if (skips_) return skip_earlier();
  if (!output_) return screen_.logs(logs_, shown_);
  const auto pieces = output_->poll();
  for (const auto& piece : pieces) screen_.output(piece);
  return !pieces.empty();
}

bool FollowedLines::skip_earlier() {
  const bool has_more = logs_.poll([this](const ui::LogLine& line) {
    if (!shown_.has(line.task)) return;
    if (earlier_.size() == kEarlierLines) earlier_.pop_front();
    earlier_.push_back(line);
  });
  if (has_more) return true;
  skips_ = false;
  for (const auto& line : std::exchange(earlier_, {})) screen_.log(line);
  return false;
}

void FollowedLines::show_rest() {
  if (!shown_.any()) return;
  if (output_) {
    for (const auto& piece : output_->rest()) screen_.output(piece);
    return;
  }
  const bool is_all = logs_.drain([this](const ui::LogLine& line) {
    if (shown_.has(line.task)) screen_.log(line);
  });
  if (!is_all) screen_.note(fmt::format("lines of the tasks are left out here; `ydl logs {}` shows them", job_));
}

}  // namespace ydl::client
