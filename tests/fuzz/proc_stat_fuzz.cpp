#include "agent/process/proc_tree.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto link = ydl::agent::parse_stat({reinterpret_cast<const char*>(data), size});
  if (link && link->pid <= 0) std::abort();  // a signal to it would reach whole groups
  return 0;
}
