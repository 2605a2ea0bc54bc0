#include "hdfs/crc.hpp"

#include "hdfs/checksum.hpp"
#include "support/transfer_recording.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace ydl::hdfs {
namespace {

TEST(Crc, matches_published_values) {
  EXPECT_EQ(crc32(std::string("123456789")), 0xcbf43926U);
  EXPECT_EQ(crc32c(std::string("123456789")), 0xe3069283U);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aaU);
  EXPECT_EQ(crc32(std::string()), 0U);
  EXPECT_EQ(crc32c(std::string()), 0U);
}

TEST(Crc, instruction_and_tables_agree_at_every_length_and_alignment) {
  const std::string bytes = testing::recorded_content(300);
  for (std::size_t from = 0; from < 9; ++from) {
    for (std::size_t size = 0; size + from <= bytes.size(); ++size) {
      const std::span<const char> part(bytes.data() + from, size);
      ASSERT_EQ(crc32c(part), portable::crc32c(part)) << from << " " << size;
    }
  }
}

TEST(Crc, chunks_computed_in_parallel_equal_chunks_computed_one_by_one) {
  const std::string bytes = testing::recorded_content(5000);
  for (const std::size_t chunk : {1U, 8U, 100U, 512U, 4096U, 9000U}) {
    for (std::size_t size = 0; size <= bytes.size(); size += 97) {
      std::vector<std::uint32_t> sums((size + chunk - 1) / chunk);
      crc32c_chunks({bytes.data(), size}, chunk, sums);
      for (std::size_t i = 0; i < sums.size(); ++i) {
        ASSERT_EQ(sums[i], crc32c({bytes.data() + i * chunk, std::min(chunk, size - i * chunk)}))
            << chunk << " " << size;
      }
    }
  }
}

class ChecksumOf : public ::testing::TestWithParam<ChecksumType> {};

TEST_P(ChecksumOf, finds_the_first_chunk_that_differs) {
  const Checksum checksum{.type = GetParam(), .chunk = 64};
  std::string data = testing::recorded_content(64 * 200 + 17);
  std::string sums(checksum.sum_bytes(data.size()), '\0');
  EXPECT_EQ(sums.size(), 4U * 201U);
  write_sums(checksum, data, sums);
  EXPECT_EQ(first_bad_chunk(checksum, data, sums), std::nullopt);
  for (const std::size_t chunk : {0U, 1U, 47U, 48U, 49U, 199U, 200U}) {
    std::string damaged = data;
    damaged[chunk * 64 + 15] ^= 1;
    damaged.back() ^= 1;
    EXPECT_EQ(first_bad_chunk(checksum, damaged, sums), chunk);
  }
}

INSTANTIATE_TEST_SUITE_P(Types, ChecksumOf, ::testing::Values(ChecksumType::crc32, ChecksumType::crc32c));

TEST(Checksum, type_none_has_no_checksums) {
  const Checksum none{.type = ChecksumType::none};
  EXPECT_EQ(none.sum_bytes(4096), 0U);
  EXPECT_EQ(first_bad_chunk(none, std::string(4096, 'x'), {}), std::nullopt);
}

}  // namespace
}  // namespace ydl::hdfs
