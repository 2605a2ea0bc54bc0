#pragma once

#include <cstdint>
#include <span>

// The two checksums HDFS stores for every chunk of a block (usually 512 bytes).
namespace ydl::hdfs {

// CRC-32 with the polynomial of zlib and Ethernet.
[[nodiscard]] std::uint32_t crc32(std::span<const char> bytes);

// CRC-32C (Castagnoli), by the processor's instruction where it has one.
[[nodiscard]] std::uint32_t crc32c(std::span<const char> bytes);

// CRC-32C of each piece of `chunk` bytes of `bytes` (the last may be shorter), written to `out` one after the other,
// `out` being as long as there are pieces. Pieces are independent of each other, so the processor works on several
// at a time: about three times the speed of one after the other.
void crc32c_chunks(std::span<const char> bytes, std::size_t chunk, std::span<std::uint32_t> out);

namespace portable {
// Without special instructions; what the functions above do on a processor that lacks them. Public for the tests.
[[nodiscard]] std::uint32_t crc32c(std::span<const char> bytes);
}  // namespace portable

}  // namespace ydl::hdfs
