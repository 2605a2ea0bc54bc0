#include "core/strings.hpp"
#include "files/log_times.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

// However an index is cut into pieces, the same entries are read from it; their offsets rise and their times can be
// printed.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto whole = ydl::files::LogTimesDecoder().feed(text);
  ydl::files::LogTimesDecoder decoder;
  std::vector<ydl::files::LogTime> pieces;
  for (std::size_t i = 0; i < text.size(); i += 3) {
    for (const auto& entry : decoder.feed(text.substr(i, 3))) pieces.push_back(entry);
  }
  if (whole != pieces) std::abort();
  std::uint64_t before = 0;
  for (const auto& entry : whole) {
    if (entry.offset < before) std::abort();
    before = entry.offset;
    if (!ydl::core::parse_utc(ydl::core::format_utc(entry.time))) std::abort();
  }
  return 0;
}
