#include "files/log_lines.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

// The result does not depend on the division of a log into pieces.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  ydl::files::LogLines whole;
  whole.feed(text);
  ydl::files::LogLines pieces;
  for (std::size_t i = 0; i < text.size(); i += 3) pieces.feed(text.substr(i, 3));
  if (whole.last_line() != pieces.last_line() || whole.progress() != pieces.progress()) std::abort();
  if (whole.malformed_progress() != pieces.malformed_progress()) std::abort();
  if (whole.metrics() != pieces.metrics() || whole.malformed_metric() != pieces.malformed_metric()) std::abort();
  if (whole.metrics() && whole.metrics()->values.size() > ydl::core::Metrics::kMost) std::abort();
  if (const auto progress = whole.progress(); progress && !(progress->fraction >= 0 && progress->fraction <= 1)) {
    std::abort();
  }
  return 0;
}
