#include "agent/resources/net_tcp.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  (void)ydl::agent::listening_inodes({reinterpret_cast<const char*>(data), size}, 0x1F90);
  return 0;
}
