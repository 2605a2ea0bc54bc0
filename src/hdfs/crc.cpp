#include "hdfs/crc.hpp"

#include "core/assert.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace ydl::hdfs {
namespace {

static_assert(std::endian::native == std::endian::little, "the tables and loads below are for little-endian machines");

// Slicing-by-8: table[k][b] is the effect of byte b followed by k zero bytes.
using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr Tables make_tables(std::uint32_t reflected_polynomial) {
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? reflected_polynomial : 0U);
    tables[0][byte] = crc;
  }
  for (std::size_t byte = 0; byte < 256; ++byte) {
    for (std::size_t k = 1; k < 8; ++k) {
      const std::uint32_t before = tables[k - 1][byte];
      tables[k][byte] = (before >> 8U) ^ tables[0][before & 0xffU];
    }
  }
  return tables;
}

constexpr Tables kCrc32 = make_tables(0xedb88320U);
constexpr Tables kCrc32c = make_tables(0x82f63b78U);

std::uint64_t load(const char* from) {
  std::uint64_t value = 0;
  std::memcpy(&value, from, sizeof value);
  return value;
}

std::uint32_t by_table(const Tables& t, std::span<const char> bytes) {
  std::uint32_t crc = ~0U;
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; at += 8, left -= 8) {
    const std::uint64_t word = load(at) ^ crc;
    crc = t[7][word & 0xffU] ^ t[6][(word >> 8U) & 0xffU] ^ t[5][(word >> 16U) & 0xffU] ^ t[4][(word >> 24U) & 0xffU] ^
          t[3][(word >> 32U) & 0xffU] ^ t[2][(word >> 40U) & 0xffU] ^ t[1][(word >> 48U) & 0xffU] ^ t[0][word >> 56U];
  }
  for (; left > 0; ++at, --left) crc = (crc >> 8U) ^ t[0][(crc ^ static_cast<unsigned char>(*at)) & 0xffU];
  return ~crc;
}

#if defined(__x86_64__)

__attribute__((target("sse4.2"))) std::uint32_t by_instruction(std::span<const char> bytes) {
  std::uint64_t crc = ~0U;
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; at += 8, left -= 8) crc = _mm_crc32_u64(crc, load(at));
  auto narrow = static_cast<std::uint32_t>(crc);
  for (; left > 0; ++at, --left) narrow = _mm_crc32_u8(narrow, static_cast<unsigned char>(*at));
  return ~narrow;
}

// The instruction has a latency of three cycles but can start in every cycle, so three chunks are computed in parallel.
__attribute__((target("sse4.2"))) void three_by_instruction(const char* at, std::size_t chunk, std::uint32_t* out) {
  std::uint64_t a = ~0U;
  std::uint64_t b = ~0U;
  std::uint64_t c = ~0U;
  for (std::size_t i = 0; i < chunk; i += 8) {
    a = _mm_crc32_u64(a, load(at + i));
    b = _mm_crc32_u64(b, load(at + chunk + i));
    c = _mm_crc32_u64(c, load(at + 2 * chunk + i));
  }
  out[0] = ~static_cast<std::uint32_t>(a);
  out[1] = ~static_cast<std::uint32_t>(b);
  out[2] = ~static_cast<std::uint32_t>(c);
}

bool has_instruction() {
  static const bool has = __builtin_cpu_supports("sse4.2") != 0;
  return has;
}

#endif

}  // namespace

std::uint32_t crc32(std::span<const char> bytes) {
  return by_table(kCrc32, bytes);
}

std::uint32_t portable::crc32c(std::span<const char> bytes) {
  return by_table(kCrc32c, bytes);
}

std::uint32_t crc32c(std::span<const char> bytes) {
#if defined(__x86_64__)
  if (has_instruction()) return by_instruction(bytes);
#endif
  return portable::crc32c(bytes);
}

void crc32c_chunks(std::span<const char> bytes, std::size_t chunk, std::span<std::uint32_t> out) {
  YDL_ASSERT(chunk > 0 && out.size() == (bytes.size() + chunk - 1) / chunk);
  std::size_t i = 0;
#if defined(__x86_64__)
  if (has_instruction() && chunk % 8 == 0) {
    for (; (i + 3) * chunk <= bytes.size(); i += 3) {
      three_by_instruction(bytes.data() + i * chunk, chunk, out.data() + i);
    }
  }
#endif
  for (; i < out.size(); ++i) {
    out[i] = crc32c(bytes.subspan(i * chunk, std::min(chunk, bytes.size() - i * chunk)));
  }
}

}  // namespace ydl::hdfs
