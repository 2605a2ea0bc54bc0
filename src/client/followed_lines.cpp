#include "client/followed_lines.hpp"

#include "core/strings.hpp"

#include <utility>

#include <fmt/format.h>

namespace ydl::client {
namespace {

constexpr std::size_t kEarlierLines = 20;
constexpr std::size_t kMostBytes = std::size_t{256} << 10U;

}  // namespace

FollowedLines::FollowedLines(const jobs::JobFolder& folder, ShownTasks shown, From from, FollowScreen& screen)
    : shown_(std::move(shown)),
      screen_(screen),
      logs_(folder, {.filter = {.task = shown_.only(), .stream = {}, .attempt = 0},
                     .tail = from == From::last_lines ? std::optional<std::uint64_t>(kEarlierLines) : std::nullopt}),
      job_(folder.id().str()),
      is_unchanged_(shown_.unchanged().has_value()),
      skips_(from == From::last_lines) {}

// Bytes that are shown unchanged are shown at once: the beginning of a line may be a question or a progress bar.
LogMerge::LastLine FollowedLines::last_line() const {
  return is_unchanged_ ? LogMerge::LastLine::give : LogMerge::LastLine::wait;
}

bool FollowedLines::show_new() {
  if (!shown_.any()) return false;
  if (skips_) return skip_earlier();
  return read(
      [this](const LogPart& part) {
        show(part.file, part.text, part.ends_line);
        return true;
      },
      last_line());
}

bool FollowedLines::read(const LogMerge::Take& take, LogMerge::LastLine last_line) {
  std::size_t bytes = 0;
  screen_.together([&] {
    logs_.read(
        [&](const LogPart& part) {
          bytes += part.text.size() + 1;
          if (shown_.has(part.file.task)) take(part);
          return bytes < kMostBytes;
        },
        last_line, core::wall_now());
    show_bytes();
  });
  return bytes >= kMostBytes;
}

bool FollowedLines::skip_earlier() {
  const auto keep = [this](const LogPart& part) {
    if (earlier_.size() == kEarlierLines) {
      skipped_ += earlier_.front().text.size() + 1;
      earlier_.pop_front();
    }
    earlier_.push_back({part.file, std::string(part.text), part.ends_line});
    return true;
  };
  if (read(keep, last_line())) return true;
  skips_ = false;
  if (const auto bytes = skipped_ + logs_.skipped(); bytes > 0)
    screen_.note(fmt::format("{} of earlier output left out; `ydl logs {}` shows it", core::format_bytes(bytes), job_));
  for (const auto& line : std::exchange(earlier_, {})) show(line.file, line.text, line.ends_line);
  show_bytes();
  return false;
}

void FollowedLines::show(const LogFile& file, std::string_view text, bool ends_line) {
  if (!is_unchanged_) return screen_.log({file.task, file.stream, std::string(text)});
  if (file.stream != stream_) show_bytes();
  stream_ = file.stream;
  bytes_ += filters_[&file].pass(text);
  if (ends_line) bytes_ += filters_[&file].pass("\n");
}

void FollowedLines::show_bytes() {
  if (!bytes_.empty()) screen_.output(stream_, std::exchange(bytes_, {}));
}

void FollowedLines::show_rest() {
  if (!shown_.any()) return;
  const auto show_part = [this](const LogPart& part) {
    show(part.file, part.text, part.ends_line);
    return true;
  };
  if (read(show_part, LogMerge::LastLine::give))
    screen_.note(fmt::format("lines of the tasks are left out here; `ydl logs {}` shows them", job_));
  for (auto& [file, filter] : filters_) {
    if (const auto bytes = filter.rest(); !bytes.empty()) screen_.output(file->stream, bytes);
  }
}

}  // namespace ydl::client
