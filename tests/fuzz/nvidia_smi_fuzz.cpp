#include "agent/resources/gpus.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto gpus = ydl::agent::parse_nvidia_smi({reinterpret_cast<const char*>(data), size});
  if (!gpus) return 0;
  for (const auto& gpu : *gpus) {
    if (gpu.uuid.empty() || gpu.index < 0) std::abort();
  }
  return 0;
}
