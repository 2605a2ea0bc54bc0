#include "agent/process/proc_tree.hpp"
#include "agent/resources/usage.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)ydl::agent::parse_stat_count(text);
  const auto link = ydl::agent::parse_stat(text);
  if (link && link->pid <= 0) std::abort();  // a signal to it would reach whole groups
  return 0;
}
