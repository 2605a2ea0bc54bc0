#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

// Where in a log to begin. They read backwards, in pieces, and look at no more of a huge log than they need.
namespace ydl::client {

// A line is looked at, shown and counted in pieces of this size: of a line of gigabytes, the last piece is its last
// line.
inline constexpr std::size_t kLongestLogLine = std::size_t{64} << 10U;

// The beginning of the line that has the byte before `offset`; `offset` itself if that byte ends a line.
[[nodiscard]] std::uint64_t line_start(const std::filesystem::path& log, std::uint64_t offset);

struct TailQuestion {
  std::uint64_t from = 0;  // not before this
  std::uint64_t size = 0;  // of the log
  std::uint64_t lines = 0;
  std::string_view grep;  // count only lines with this in them
};
// The beginning of the last `lines` lines.
[[nodiscard]] std::uint64_t tail_start(const std::filesystem::path& log, const TailQuestion& question);

}  // namespace ydl::client
