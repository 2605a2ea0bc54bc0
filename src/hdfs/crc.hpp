#pragma once

#include <cstdint>
#include <span>

// The two kinds of checksums that HDFS stores for every chunk (usually 512 bytes) of a block.
namespace ydl::hdfs {

// CRC-32 with the polynomial of zlib and Ethernet.
[[nodiscard]] std::uint32_t crc32(std::span<const char> bytes);

// CRC-32C (Castagnoli), with the processor's instruction if available.
[[nodiscard]] std::uint32_t crc32c(std::span<const char> bytes);

// Writes the CRC-32C of each piece of `chunk` bytes (the last may be shorter) to `out`, which has one element per
// piece. Pieces are independent, so the processor can work on several at once, which is about three times as fast.
void crc32c_chunks(std::span<const char> bytes, std::size_t chunk, std::span<std::uint32_t> out);

namespace portable {
// The implementation for processors without the instruction. Public for the tests.
[[nodiscard]] std::uint32_t crc32c(std::span<const char> bytes);
}  // namespace portable

}  // namespace ydl::hdfs
