#include "backend/packing/tar_format.hpp"

#include <gtest/gtest.h>

namespace ydl::backend {
namespace {

std::string field(const std::string& header, std::size_t at, std::size_t size) {
  return header.substr(at,
                       header.find('\0', at) == std::string::npos ? size : std::min(size, header.find('\0', at) - at));
}

TEST(TarFormat, a_header_holds_name_mode_size_and_kind) {
  const auto header = tar_header({"a/train.py", TarEntry::Kind::file, 0755, 1234, {}});
  ASSERT_EQ(header.size(), kTarBlock);
  EXPECT_EQ(field(header, 0, 100), "a/train.py");
  EXPECT_EQ(field(header, 100, 8), "0000755");
  EXPECT_EQ(field(header, 124, 12), "00000002322");
  EXPECT_EQ(header[156], '0');
  EXPECT_EQ(header.substr(257, 8), std::string("ustar\0"
                                               "00",
                                               8));
}

TEST(TarFormat, the_checksum_counts_itself_as_blanks) {
  auto header = tar_header({"x", TarEntry::Kind::directory, 0700, 0, {}});
  const auto written = std::stoul(field(header, 148, 8), nullptr, 8);
  header.replace(148, 8, 8, ' ');
  unsigned long sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  EXPECT_EQ(written, sum);
  EXPECT_EQ(field(header, 0, 100), "x/");
}

TEST(TarFormat, owner_and_time_are_nobodys) {
  const auto header = tar_header({"x", TarEntry::Kind::file, 0644, 0, {}});
  EXPECT_EQ(field(header, 108, 8), "0000000");
  EXPECT_EQ(field(header, 116, 8), "0000000");
  EXPECT_EQ(header, tar_header({"x", TarEntry::Kind::file, 0644, 0, {}}));
}

TEST(TarFormat, a_name_that_just_fits_needs_no_second_header) {
  EXPECT_EQ(tar_header({std::string(100, 'n'), TarEntry::Kind::file, 0644, 0, {}}).size(), kTarBlock);
  EXPECT_EQ(tar_header({std::string(101, 'n'), TarEntry::Kind::file, 0644, 0, {}}).size(), 3 * kTarBlock);
  EXPECT_EQ(tar_header({std::string(100, 'n'), TarEntry::Kind::directory, 0755, 0, {}}).size(), 3 * kTarBlock);
}

TEST(TarFormat, a_record_counts_its_own_digits) {
  // "100 path=" and a newline leave 90 bytes: with 91 the length gets no fourth digit, with 89 it has two.
  const auto header = tar_header({std::string(991 - 10, 'n'), TarEntry::Kind::file, 0644, 0, {}});
  EXPECT_TRUE(header.substr(kTarBlock).starts_with("991 path=nnn")) << header.substr(kTarBlock, 20);
  const auto longer = tar_header({std::string(990, 'n'), TarEntry::Kind::file, 0644, 0, {}});
  EXPECT_TRUE(longer.substr(kTarBlock).starts_with("1001 path=nnn")) << longer.substr(kTarBlock, 20);
}

TEST(TarFormat, long_targets_and_huge_sizes_go_into_the_second_header) {
  const auto link = tar_header({"l", TarEntry::Kind::link, 0777, 0, std::string(150, 't')});
  EXPECT_NE(link.find(" linkpath=" + std::string(150, 't') + "\n"), std::string::npos);
  const auto huge = tar_header({"h", TarEntry::Kind::file, 0644, 1ULL << 33U, {}});
  EXPECT_NE(huge.find(" size=8589934592\n"), std::string::npos);
}

TEST(TarFormat, contents_are_filled_up_to_whole_blocks) {
  EXPECT_EQ(tar_padding(0), 0U);
  EXPECT_EQ(tar_padding(1), 511U);
  EXPECT_EQ(tar_padding(512), 0U);
  EXPECT_EQ(tar_padding(513), 511U);
}

}  // namespace
}  // namespace ydl::backend
