#include "client/log_start.hpp"

#include "files/log_tail.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace ydl::client {
namespace {

// The bytes from `begin` to `end`; fewer where the file ends before, or cannot be read.
std::string read_range(const std::filesystem::path& log, std::uint64_t begin, std::uint64_t end) {
  auto slice = files::read_slice(log, begin, end - begin);
  return slice ? std::move(slice->bytes) : std::string();
}

}  // namespace

std::uint64_t line_start(const std::filesystem::path& log, std::uint64_t offset) {
  const auto begin = offset - std::min<std::uint64_t>(offset, kLongestLogLine);
  const auto newline = read_range(log, begin, offset).rfind('\n');
  return newline == std::string::npos ? begin : begin + newline + 1;
}

std::uint64_t tail_start(const std::filesystem::path& log, const TailQuestion& question) {
  if (question.lines == 0) return question.size;
  auto left = question.lines;
  auto begin = question.size;
  if (begin > question.from && read_range(log, begin - 1, begin) == "\n") --begin;
  std::string line;  // the beginning, as far as it was read, of a line that starts before `begin`
  while (begin > question.from) {
    const auto end = begin;
    begin -= std::min<std::uint64_t>(end - question.from, kLongestLogLine - line.size());
    line.insert(0, read_range(log, begin, end));
    for (auto newline = line.rfind('\n'); newline != std::string::npos; newline = line.rfind('\n')) {
      const bool counts = std::string_view(line).substr(newline + 1).contains(question.grep);
      if (counts && --left == 0) return begin + newline + 1;
      line.resize(newline);
    }
    if (line.size() < kLongestLogLine) continue;
    if (line.contains(question.grep) && --left == 0) return begin;
    line.clear();
  }
  return question.from;
}

}  // namespace ydl::client
