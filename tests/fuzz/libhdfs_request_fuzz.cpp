// Requests of libhdfs.so, which any program may send: frames one after the other.
#include "libhdfs/protocol.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ydl::libhdfs;
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  while (rest.size() >= kYdlFrameHeader) {
    std::array<char, kYdlFrameHeader> bytes{};
    std::ranges::copy(rest.substr(0, bytes.size()), bytes.begin());
    const auto header = decode_header(bytes);
    if (!header) return 0;
    if (header->size > kYdlLargestData) std::abort();
    rest.remove_prefix(bytes.size());
    const auto body = rest.substr(0, header->size);
    const auto request = decode_request(header->kind, body);
    if (request) {
      if (const auto* read = std::get_if<Read>(&*request); read != nullptr && read->length > kYdlLargestRead)
        std::abort();
      if (const auto* status = std::get_if<Status>(&*request);
          status != nullptr && status->path.find('\0') != std::string::npos)
        std::abort();
    }
    rest.remove_prefix(body.size());
  }
  return 0;
}
