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

// How a block's data is summed up: every started piece of `chunk` bytes has a checksum of four bytes, big-endian.
struct Checksum {
  ChecksumType type = ChecksumType::crc32c;
  std::uint32_t chunk = 512;

  bool operator==(const Checksum&) const = default;

  [[nodiscard]] std::size_t chunks(std::size_t data_bytes) const { return (data_bytes + chunk - 1) / chunk; }
  // The bytes the checksums of so much data take.
  [[nodiscard]] std::size_t sum_bytes(std::size_t data_bytes) const {
    return type == ChecksumType::none ? 0 : 4 * chunks(data_bytes);
  }
};

// Errors: corrupt (a chunk size of nothing, or larger than a packet may be).
[[nodiscard]] core::Result<Checksum> from_proto(const hadoop::hdfs::ChecksumProto& proto);
[[nodiscard]] hadoop::hdfs::ChecksumProto to_proto(const Checksum& checksum);

// Writes the checksums of `data`, whose first byte starts a chunk, to `sums` (sum_bytes() long).
void write_sums(const Checksum& checksum, std::span<const char> data, std::span<char> sums);

// The first chunk whose checksum differs, if one does.
[[nodiscard]] std::optional<std::size_t> first_bad_chunk(const Checksum& checksum, std::span<const char> data,
                                                         std::span<const char> sums);

}  // namespace ydl::hdfs
