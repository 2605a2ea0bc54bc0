#pragma once

#include "core/result.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace hadoop::hdfs {
class ChecksumProto;
}

namespace ydl::hdfs {

enum class ChecksumType { none, crc32, crc32c };

// How the data of a block is checked: every piece of `chunk` bytes (the last may be shorter) has a checksum of four
// bytes, big-endian.
struct Checksum {
  ChecksumType type = ChecksumType::crc32c;
  std::uint32_t chunk = 512;

  bool operator==(const Checksum&) const = default;

  [[nodiscard]] std::size_t chunks(std::size_t data_bytes) const { return (data_bytes + chunk - 1) / chunk; }
  // The size of the checksums for this much data.
  [[nodiscard]] std::size_t sum_bytes(std::size_t data_bytes) const {
    return type == ChecksumType::none ? 0 : 4 * chunks(data_bytes);
  }
};

// Errors: corrupt (the chunk size is 0 or larger than a packet).
[[nodiscard]] core::Result<Checksum> from_proto(const hadoop::hdfs::ChecksumProto& proto);
[[nodiscard]] hadoop::hdfs::ChecksumProto to_proto(const Checksum& checksum);

// Writes the checksums of `data` to `sums`, which has sum_bytes() bytes. The first byte of `data` must be the start of
// a chunk.
void write_sums(const Checksum& checksum, std::span<const char> data, std::span<char> sums);

// The first chunk with a wrong checksum, if there is one.
[[nodiscard]] std::optional<std::size_t> first_bad_chunk(const Checksum& checksum, std::span<const char> data,
                                                         std::span<const char> sums);

}  // namespace ydl::hdfs
