#include "files/tar_reader.hpp"
#include "files/zstd_stream.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

// Archives from outside, plain and compressed: reading ends, and no member has a name that leads out of its folder.
namespace {

ydl::files::ReadBytes reader_of(const std::uint8_t* data, std::size_t size) {
  return [data, size, at = std::size_t{0}](std::span<char> into) mutable -> ydl::core::Result<std::size_t> {
    const auto count = std::min({into.size(), size - at, std::size_t{700}});
    std::memcpy(into.data(), data + at, count);
    at += count;
    return count;
  };
}

void read_all(ydl::files::ReadBytes source) {
  ydl::files::TarReader tar(std::move(source));
  std::array<char, 600> buffer{};
  for (int members = 0; members < 1000; ++members) {
    const auto member = tar.next();
    if (!member || !*member) return;
    if (!ydl::files::is_inside((*member)->name)) std::abort();
    if (members % 2 == 0) (void)tar.read(buffer);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  read_all(reader_of(data, size));
  ydl::files::ZstdReader unzipped(reader_of(data, size));
  std::size_t total = 0;
  read_all([&](std::span<char> into) -> ydl::core::Result<std::size_t> {
    if (total > (1U << 22U)) return std::size_t{0};
    auto got = unzipped.read(into);
    if (got) total += *got;
    return got;
  });
  return 0;
}
