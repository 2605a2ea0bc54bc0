#include "backend/packing/hash_memory.hpp"

#include "backend/packing/file_stamp.hpp"
#include "core/files.hpp"
#include "support/temp_dir.hpp"

#include <gtest/gtest.h>

namespace ydl::backend {
namespace {

const std::string kOne(64, '1');
const std::string kTwo(64, '2');

class Memory : public testing::Test {
 protected:
  static core::WallTime day(int number) { return core::WallTime(std::chrono::days(number)); }

  test::TempDir dir;
  std::filesystem::path path = dir.path() / "cache/hashes";
};

TEST_F(Memory, keeps_what_was_saved) {
  HashMemory first(path, day(1));
  EXPECT_FALSE(first.find("key"));
  first.remember("key", kOne);
  ASSERT_TRUE(first.save());
  HashMemory second(path, day(2));
  EXPECT_EQ(second.find("key"), kOne);
}

TEST_F(Memory, two_at_once_lose_nothing) {
  HashMemory first(path, day(1));
  HashMemory second(path, day(1));
  first.remember("a", kOne);
  second.remember("b", kTwo);
  ASSERT_TRUE(first.save());
  ASSERT_TRUE(second.save());
  HashMemory third(path, day(1));
  EXPECT_EQ(third.find("a"), kOne);
  EXPECT_EQ(third.find("b"), kTwo);
}

TEST_F(Memory, a_damaged_file_is_an_empty_memory) {
  std::filesystem::create_directory(path.parent_path());
  ASSERT_TRUE(core::write_file_atomically(path, "ydl hashes 1\nkey nohash 1\nx\n\nk " + kOne + " day\n"));
  HashMemory memory(path, day(1));
  EXPECT_FALSE(memory.find("key"));
  EXPECT_FALSE(memory.find("k"));
  ASSERT_TRUE(core::write_file_atomically(path, "something else\nkey " + kOne + " 1\n"));
  EXPECT_FALSE(HashMemory(path, day(1)).find("key"));
}

TEST_F(Memory, forgets_what_was_longest_unused) {
  HashMemory old(path, day(1));
  old.remember("old", kOne);
  old.remember("used", kOne);
  ASSERT_TRUE(old.save());
  HashMemory memory(path, day(2));
  EXPECT_TRUE(memory.find("used"));
  for (int i = 0; i < 9'999; ++i) memory.remember("new" + std::to_string(i), kTwo);
  ASSERT_TRUE(memory.save());
  HashMemory after(path, day(2));
  EXPECT_TRUE(after.find("used"));
  EXPECT_TRUE(after.find("new0"));
  EXPECT_FALSE(after.find("old"));
}

TEST_F(Memory, without_a_file_it_forgets) {
  HashMemory memory({}, day(1));
  memory.remember("key", kOne);
  EXPECT_TRUE(memory.save());
}

TEST_F(Memory, a_file_written_just_now_may_change_without_a_sign) {
  FileStamp stamp{.modified_ns = 10'000'000'000, .changed_ns = 9'000'000'000};
  EXPECT_FALSE(stamp.is_settled(core::WallTime(core::Millis(11'000))));
  EXPECT_TRUE(stamp.is_settled(core::WallTime(core::Millis(12'500))));
  stamp.changed_ns = 12'000'000'000;
  EXPECT_FALSE(stamp.is_settled(core::WallTime(core::Millis(12'500))));
}

TEST_F(Memory, the_cache_lies_where_the_environment_says) {
  const auto nothing = [](const char* name) -> std::optional<std::string> {
    return std::string(name) == "HOME" ? std::optional<std::string>("/home/u") : std::nullopt;
  };
  EXPECT_EQ(cache_directory(nothing), "/home/u/.cache/ydl");
  const auto set = [](const char* name) -> std::optional<std::string> {
    return std::string(name) == "XDG_CACHE_HOME" ? std::optional<std::string>("/c") : std::nullopt;
  };
  EXPECT_EQ(cache_directory(set), "/c/ydl");
}

}  // namespace
}  // namespace ydl::backend
