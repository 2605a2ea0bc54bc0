#include "hdfs/checksum.hpp"

#include "core/assert.hpp"
#include "hdfs/crc.hpp"
#include "hdfs/proto/data_transfer.pb.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include <fmt/format.h>

namespace ydl::hdfs {
namespace {

namespace pb = hadoop::hdfs;

constexpr std::uint32_t kLargestChunk = 16U << 20U;  // the largest packet, so no chunk can be larger
constexpr std::size_t kBatch = 48;                   // chunks per batch: their checksums stay in the L1 cache

// Calls `use(first chunk, sums)` for consecutive groups of chunks.
template <class Use>
void for_each_batch(const Checksum& checksum, std::span<const char> data, Use use) {
  std::array<std::uint32_t, kBatch> sums{};
  const std::size_t chunks = checksum.chunks(data.size());
  for (std::size_t first = 0; first < chunks; first += kBatch) {
    const std::size_t begin = first * checksum.chunk;
    const auto part = data.subspan(begin, std::min(kBatch * checksum.chunk, data.size() - begin));
    const std::span<std::uint32_t> out(sums.data(), checksum.chunks(part.size()));
    if (checksum.type == ChecksumType::crc32c) {
      crc32c_chunks(part, checksum.chunk, out);
    } else {
      for (std::size_t i = 0; i < out.size(); ++i) {
        const std::size_t at = i * checksum.chunk;
        out[i] = crc32(part.subspan(at, std::min<std::size_t>(checksum.chunk, part.size() - at)));
      }
    }
    for (auto& sum : out) sum = std::byteswap(sum);
    if (!use(first, out)) return;
  }
}

}  // namespace

core::Result<Checksum> from_proto(const pb::ChecksumProto& proto) {
  Checksum checksum{.type = ChecksumType::none, .chunk = proto.bytesperchecksum()};
  switch (proto.type()) {
    case pb::CHECKSUM_NULL:
      break;
    case pb::CHECKSUM_CRC32:
      checksum.type = ChecksumType::crc32;
      break;
    case pb::CHECKSUM_CRC32C:
      checksum.type = ChecksumType::crc32c;
      break;
  }
  if (checksum.chunk == 0 || checksum.chunk > kLargestChunk) {
    return core::fail(
        core::Errc::corrupt,
        fmt::format("the server uses one checksum per {} bytes, which is not a valid chunk size", checksum.chunk));
  }
  return checksum;
}

pb::ChecksumProto to_proto(const Checksum& checksum) {
  pb::ChecksumProto proto;
  switch (checksum.type) {
    case ChecksumType::none:
      proto.set_type(pb::CHECKSUM_NULL);
      break;
    case ChecksumType::crc32:
      proto.set_type(pb::CHECKSUM_CRC32);
      break;
    case ChecksumType::crc32c:
      proto.set_type(pb::CHECKSUM_CRC32C);
      break;
  }
  proto.set_bytesperchecksum(checksum.chunk);
  return proto;
}

void write_sums(const Checksum& checksum, std::span<const char> data, std::span<char> sums) {
  YDL_ASSERT(sums.size() == checksum.sum_bytes(data.size()));
  if (sums.empty()) return;
  for_each_batch(checksum, data, [&](std::size_t first, std::span<const std::uint32_t> batch) {
    std::memcpy(sums.data() + 4 * first, batch.data(), batch.size_bytes());
    return true;
  });
}

std::optional<std::size_t> first_bad_chunk(const Checksum& checksum, std::span<const char> data,
                                           std::span<const char> sums) {
  YDL_ASSERT(sums.size() == checksum.sum_bytes(data.size()));
  std::optional<std::size_t> bad;
  if (sums.empty()) return bad;
  for_each_batch(checksum, data, [&](std::size_t first, std::span<const std::uint32_t> batch) {
    if (std::memcmp(sums.data() + 4 * first, batch.data(), batch.size_bytes()) == 0) return true;
    std::size_t i = 0;
    while (std::memcmp(sums.data() + 4 * (first + i), &batch[i], 4) == 0) ++i;
    bad = first + i;
    return false;
  });
  return bad;
}

}  // namespace ydl::hdfs
