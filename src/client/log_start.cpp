#include "client/log_start.hpp"

#include "core/files.hpp"

#include <algorithm>
#include <fcntl.h>
#include <string>
#include <unistd.h>

namespace ydl::client {
namespace {

// The bytes from `begin` to `end`; shorter where the file ends before, or cannot be read.
std::string read_range(int fd, std::uint64_t begin, std::uint64_t end) {
  std::string bytes(end - begin, '\0');
  std::size_t have = 0;
  while (have < bytes.size()) {
    const auto n = ::pread(fd, bytes.data() + have, bytes.size() - have, static_cast<off_t>(begin + have));
    if (n <= 0) break;
    have += static_cast<std::size_t>(n);
  }
  bytes.resize(have);
  return bytes;
}

core::UniqueFd open_log(const std::filesystem::path& log) {
  return core::UniqueFd(::open(log.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
}

}  // namespace

std::uint64_t line_start(const std::filesystem::path& log, std::uint64_t offset) {
  const auto fd = open_log(log);
  if (!fd) return offset;
  const auto begin = offset - std::min<std::uint64_t>(offset, kLongestLogLine);
  const auto newline = read_range(fd.get(), begin, offset).rfind('\n');
  return newline == std::string::npos ? begin : begin + newline + 1;
}

std::uint64_t tail_start(const std::filesystem::path& log, const TailQuestion& question) {
  const auto fd = open_log(log);
  if (!fd || question.lines == 0) return question.size;
  auto left = question.lines;
  auto begin = question.size;
  if (begin > question.from && read_range(fd.get(), begin - 1, begin) == "\n") --begin;
  std::string line;  // the beginning, as far as it was read, of a line that starts before `begin`
  while (begin > question.from) {
    const auto end = begin;
    begin -= std::min<std::uint64_t>(end - question.from, kLongestLogLine);
    auto text = read_range(fd.get(), begin, end) + line;
    for (auto newline = text.rfind('\n'); newline != std::string::npos; newline = text.rfind('\n')) {
      const bool counts = std::string_view(text).substr(newline + 1).contains(question.grep);
      if (counts && --left == 0) return begin + newline + 1;
      text.resize(newline);
    }
    line = std::move(text);
    line.resize(std::min(line.size(), kLongestLogLine));
  }
  return question.from;
}

}  // namespace ydl::client
