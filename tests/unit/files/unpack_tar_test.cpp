#include "files/unpack_tar.hpp"

#include "core/files.hpp"
#include "files/tar_reader.hpp"
#include "support/temp_dir.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fmt/format.h>

namespace ydl::files {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// A member as any program might write it, also one that ydl never writes.
std::string member(std::string_view name, char type, std::string_view content, std::string_view link = "",
                   std::uint32_t mode = 0644) {
  std::string block(512, '\0');
  std::copy(name.begin(), name.end(), block.begin());
  const auto put = [&](std::size_t at, const std::string& text) { block.replace(at, text.size(), text); };
  put(100, fmt::format("{:07o}", mode));
  put(124, fmt::format("{:011o}", content.size()));
  put(148, "        ");
  block[156] = type;
  std::copy(link.begin(), link.end(), block.begin() + 157);
  unsigned sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  put(148, fmt::format("{:06o}", sum));
  block[154] = '\0';
  block += content;
  block.append((512 - content.size() % 512) % 512, '\0');
  return block;
}

ReadBytes reader_of(std::string bytes) {
  return [bytes = std::move(bytes), at = std::size_t{0}](std::span<char> into) mutable -> core::Result<std::size_t> {
    const auto size = std::min(into.size(), bytes.size() - at);
    std::memcpy(into.data(), bytes.data() + at, size);
    at += size;
    return size;
  };
}

const std::string kEnd(1024, '\0');
const UnpackLimits kLarge{.bytes = 1 << 20U, .members = 100};

class Unpack : public testing::Test {
 protected:
  Unpack() { fs::create_directory(folder); }
  core::Result<void> unpack(const std::string& members, const UnpackLimits& limits = kLarge) const {
    return unpack_tar(reader_of(members + kEnd), folder, limits);
  }
  [[nodiscard]] std::string refusal(const std::string& members) const {
    const auto done = unpack(members);
    return done ? "unpacked" : done.error().message;
  }

  test::TempDir dir;
  fs::path folder = dir.path() / "folder";
};

TEST_F(Unpack, files_folders_and_links_are_made) {
  ASSERT_TRUE(unpack(member("lib/", '5', "") + member("lib/a.py", '0', "print()") +
                     member("bin/python", '0', "elf", "", 0755) + member("bin/python3", '2', "", "python")));
  EXPECT_EQ(core::read_file(folder / "lib/a.py"), "print()");
  EXPECT_EQ(fs::read_symlink(folder / "bin/python3"), "python");
  struct stat status{};
  ASSERT_EQ(::stat((folder / "bin/python").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0755U);
}

TEST_F(Unpack, setuid_programs_and_writable_files_lose_these_modes) {
  ASSERT_TRUE(unpack(member("a", '0', "x", "", 06777)));
  struct stat status{};
  ASSERT_EQ(::stat((folder / "a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0755U);
}

TEST_F(Unpack, names_that_lead_out_of_the_folder_are_refused) {
  for (const auto* name : {"../a", "/etc/a", "a/../../b", "a//b", "./a", ""})
    EXPECT_THAT(refusal(member(name, '0', "x")), HasSubstr("is not a name below its folder")) << name;
  EXPECT_FALSE(fs::exists(dir.path() / "a"));
}

TEST_F(Unpack, nothing_is_written_through_a_link) {
  fs::create_directory(dir.path() / "outside");
  fs::create_symlink(dir.path() / "outside", folder / "planted");
  EXPECT_NE(refusal(member("planted/a", '0', "x")), "unpacked");
  EXPECT_NE(refusal(member("link", '2', "", "sub") + member("sub/", '5', "") + member("link/a", '0', "x")), "unpacked");
  EXPECT_NE(refusal(member("file", '0', "x") + member("file", '0', "y")), "unpacked");
  EXPECT_TRUE(fs::is_empty(dir.path() / "outside"));
}

TEST_F(Unpack, links_that_lead_out_of_the_folder_are_left_out) {
  ASSERT_TRUE(unpack(member("a", '2', "", "/etc/passwd") + member("b", '2', "", "../up") +
                     member("c/d", '2', "", "../../up") + member("c/e", '2', "", "../inside")));
  EXPECT_FALSE(fs::exists(fs::symlink_status(folder / "a")));
  EXPECT_FALSE(fs::exists(fs::symlink_status(folder / "b")));
  EXPECT_FALSE(fs::exists(fs::symlink_status(folder / "c/d")));
  EXPECT_EQ(fs::read_symlink(folder / "c/e"), "../inside");
}

TEST_F(Unpack, devices_pipes_and_hard_links_are_refused) {
  for (const char type : {'1', '3', '4', '6'})
    EXPECT_THAT(refusal(member("a", type, "")), HasSubstr("neither a file nor a folder nor a link"));
}

TEST_F(Unpack, more_than_announced_is_refused) {
  const auto two = member("a", '0', "12345") + member("b", '0', "12345");
  EXPECT_EQ(unpack(two, {.bytes = 9, .members = 10}).error().code, core::Errc::no_capacity);
  fs::remove_all(folder);
  fs::create_directory(folder);
  EXPECT_EQ(unpack(two, {.bytes = 100, .members = 1}).error().code, core::Errc::no_capacity);
}

TEST_F(Unpack, a_damaged_or_cut_archive_is_an_error_at_every_byte) {
  const auto whole = member("lib/a.py", '0', "print()") + kEnd;
  for (std::size_t size = 0; size < whole.size() - 512; size += 7) {
    fs::remove_all(folder);
    fs::create_directory(folder);
    EXPECT_EQ(unpack_tar(reader_of(whole.substr(0, size)), folder, kLarge).error().code, core::Errc::corrupt) << size;
  }
  auto flipped = whole;
  flipped[3] = 'x';
  EXPECT_THAT(unpack_tar(reader_of(flipped), folder, kLarge).error().message, HasSubstr("checksum"));
}

TEST_F(Unpack, a_request_to_stop_ends_it) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(unpack(member("a", '0', "x"), {.bytes = 10, .members = 10, .stop = stop.get_token()}).error().code,
            core::Errc::cancelled);
}

std::string compress(std::string_view bytes, int threads) {
  std::string all;
  ZstdWriter writer(
      [&](std::string_view piece) -> core::Result<void> {
        all += piece;
        return {};
      },
      threads);
  EXPECT_TRUE(writer.write(bytes));
  EXPECT_TRUE(writer.finish());
  return all;
}

core::Result<std::string> decompress(std::string bytes) {
  ZstdReader reader(reader_of(std::move(bytes)));
  std::string all;
  std::string buffer(1000, '\0');
  for (;;) {
    const auto size = reader.read(buffer);
    if (!size) return core::fail(size.error());
    if (*size == 0) return all;
    all.append(buffer, 0, *size);
  }
}

TEST(Zstd, any_number_of_threads_writes_the_same_bytes) {
  std::string bytes;
  for (int i = 0; bytes.size() < (40U << 20U); ++i) bytes += fmt::format("line {} of a long file\n", i);
  const auto packed = compress(bytes, 1);
  EXPECT_LT(packed.size(), bytes.size() / 4);
  EXPECT_EQ(compress(bytes, 4), packed);
  EXPECT_EQ(decompress(packed), bytes);
  EXPECT_EQ(decompress(compress("", 2)), "");
}

TEST(Zstd, cut_and_damaged_streams_are_errors) {
  const auto packed = compress(std::string(5000, 'a') + "end", 1);
  for (const auto size : {packed.size() - 1, packed.size() / 2, std::size_t{3}})
    EXPECT_EQ(decompress(packed.substr(0, size)).error().code, core::Errc::corrupt) << size;
  auto flipped = packed;
  flipped[flipped.size() / 2] = static_cast<char>(flipped[flipped.size() / 2] ^ 0x20);
  EXPECT_FALSE(decompress(flipped));
}

}  // namespace
}  // namespace ydl::files
