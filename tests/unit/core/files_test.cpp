#include "core/files.hpp"

#include "core/paths.hpp"
#include "support/temp_dir.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

namespace ydl::core {
namespace {

TEST(Files, an_atomic_write_replaces_the_content_and_sets_the_mode) {
  const test::TempDir dir;
  const auto path = dir.path() / "state.json";
  ASSERT_TRUE(write_file_atomically(path, "one", 0600));
  ASSERT_TRUE(write_file_atomically(path, "two", 0600));
  EXPECT_EQ(read_file(path), "two");
  struct stat status{};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST(Files, a_write_that_fails_leaves_nothing_behind) {
  const test::TempDir dir;
  const auto result = write_file_atomically(dir.path() / "missing" / "x", "one");
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("No such file"), std::string::npos);
  EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
}

TEST(Paths, a_folder_contains_itself_and_everything_below_it) {
  EXPECT_TRUE(lies_in("/data/a", "/data"));
  EXPECT_TRUE(lies_in("/data", "/data"));
  EXPECT_TRUE(lies_in("/data", "/"));
  EXPECT_FALSE(lies_in("/database", "/data"));
  EXPECT_FALSE(lies_in("/", "/data"));
}

TEST(Files, a_file_longer_than_the_limit_is_an_error) {
  const test::TempDir dir;
  ASSERT_TRUE(write_file_atomically(dir.path() / "big", std::string(100, 'x')));
  EXPECT_FALSE(read_file(dir.path() / "big", 99));
  EXPECT_TRUE(read_file(dir.path() / "big", 100));
}

TEST(Files, directories_are_created_with_their_parents) {
  const test::TempDir dir;
  ASSERT_TRUE(make_directories(dir.path() / "a" / "b" / "c"));
  EXPECT_TRUE(std::filesystem::is_directory(dir.path() / "a" / "b" / "c"));
  ASSERT_TRUE(make_directories(dir.path() / "a" / "b" / "c"));
  ASSERT_TRUE(write_file_atomically(dir.path() / "file", ""));
  EXPECT_FALSE(make_directories(dir.path() / "file" / "x"));
  EXPECT_FALSE(make_directories(dir.path() / "file"));
}

}  // namespace
}  // namespace ydl::core
