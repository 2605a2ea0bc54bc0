#include "client/log_merge.hpp"

#include "client/log_start.hpp"
#include "files/log_tail.hpp"

#include <algorithm>
#include <queue>
#include <sys/stat.h>
#include <tuple>
#include <utility>
#include <vector>

namespace ydl::client {
namespace {

struct Status {
  std::uint64_t size = 0;
  core::WallTime changed;
};

Status status_of(const std::filesystem::path& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return {};
  return {static_cast<std::uint64_t>(std::max<off_t>(status.st_size, 0)),
          core::WallTime(core::Millis(status.st_mtim.tv_sec * 1000 + status.st_mtim.tv_nsec / 1'000'000))};
}

}  // namespace

void LogMerge::discover() {
  auto found = find_logs(folder_, options_.filter);
  attempts_.merge(found.attempts);
  for (auto& log : found.files) {
    Key key{log.task, log.attempt, log.stream == "stderr"};
    if (files_.contains(key)) continue;
    LogClock clock(log.path);
    files_.emplace(std::move(key), File{std::move(log), std::move(clock)});
  }
}

// The entries before it are passed.
std::uint64_t LogMerge::first_offset(File& file) const {
  std::uint64_t first = 0;
  if (options_.since) {
    for (const auto* entry = file.clock.peek(); entry != nullptr && entry->time < *options_.since;
         entry = file.clock.peek()) {
      first = std::min(entry->offset, file.size);
      file.latest = entry->time;
      file.clock.pop();
    }
    const bool is_older = !file.clock.has_entries() && status_of(file.log.path).changed < *options_.since;
    first = is_older ? file.size : line_start(file.log.path, first);
  }
  if (!options_.tail) return first;
  return tail_start(file.log.path, {.from = first, .size = file.size, .lines = *options_.tail, .grep = options_.grep});
}

LogMerge::Segment LogMerge::next_segment(File& file, std::optional<core::WallTime> now) {
  for (const auto* entry = file.clock.peek(); entry != nullptr; entry = file.clock.peek()) {
    file.latest = entry->time;
    if (entry->offset > file.offset) return {std::min(entry->offset, file.size), entry->time, entry->time};
    file.clock.pop();
  }
  return {file.size, now, now.value_or(file.latest)};
}

void LogMerge::read(const Take& take, LastLine last_line, std::optional<core::WallTime> now) {
  discover();
  if (!has_begun_) now.reset();  // what is there at first may be old
  const bool had_more = std::exchange(has_more_, false);
  using Next = std::tuple<core::WallTime, const Key*, File*, Segment>;
  const auto is_later = [](const Next& a, const Next& b) {
    return std::tie(std::get<0>(a), *std::get<1>(a)) > std::tie(std::get<0>(b), *std::get<1>(b));
  };
  std::priority_queue<Next, std::vector<Next>, decltype(is_later)> queue(is_later);
  const auto push = [&](const Key& key, File& file) {
    const auto segment = next_segment(file, now);
    queue.emplace(segment.order, &key, &file, segment);
  };
  for (auto& [key, file] : files_) {
    const auto before = file.size;
    file.size = status_of(file.log.path).size;
    if (!has_begun_) {
      file.offset = first_offset(file);
      skipped_ += file.offset;
    }
    if (file.size < file.offset) {  // its task has cut it
      file.offset = 0;
      file.clock.restart();
    }
    const bool has_news = file.size != before || last_line == LastLine::give || had_more;
    if (has_news && file.size > file.offset) push(key, file);
  }
  has_begun_ = true;
  while (!queue.empty()) {
    const auto [order, key, file, segment] = queue.top();
    queue.pop();
    if (!give(*file, segment, take, last_line)) {
      has_more_ = true;
      return;
    }
    // An entry that lies behind what the file had when it was looked at is for the next call too.
    if (segment.end >= file->size) continue;
    file->clock.pop();
    push(*key, *file);
  }
}

bool LogMerge::give(File& file, const Segment& segment, const Take& take, LastLine last_line) {
  while (file.offset < segment.end) {
    const auto most = std::min<std::uint64_t>(kLongestLogLine, segment.end - file.offset);
    const auto slice = files::read_slice(file.log.path, file.offset, most);
    if (!slice || slice->bytes.empty()) return true;
    std::string_view bytes(slice->bytes);
    auto newline = bytes.find('\n');
    if (newline == std::string_view::npos) {
      const bool is_last = segment.end == file.size && last_line == LastLine::give && bytes.size() == most;
      if (bytes.size() < kLongestLogLine && !is_last) return true;
      file.offset += bytes.size();
      if (!give_line(take, {file.log, bytes, false, segment.time})) return false;
    }
    for (; newline != std::string_view::npos; newline = bytes.find('\n')) {
      file.offset += newline + 1;
      if (!give_line(take, {file.log, bytes.substr(0, newline), true, segment.time})) return false;
      bytes.remove_prefix(newline + 1);
    }
  }
  return true;
}

bool LogMerge::give_line(const Take& take, const LogPart& part) const {
  return !part.text.contains(options_.grep) || take(part);
}

int LogMerge::without_times() const {
  return static_cast<int>(std::ranges::count_if(
      files_, [](const auto& entry) { return entry.second.size > 0 && !entry.second.clock.has_entries(); }));
}

}  // namespace ydl::client
