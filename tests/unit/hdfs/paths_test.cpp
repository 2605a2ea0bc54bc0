#include "hdfs/paths.hpp"

#include <gtest/gtest.h>

namespace ydl::hdfs {
namespace {

std::string resolved(std::string_view text) {
  const auto path = resolve_path(text, "ns:8020", "/user/ann");
  return path ? *path : "error";
}

TEST(Paths, paths_of_users_become_absolute) {
  EXPECT_EQ(resolved("/a/b"), "/a/b");
  EXPECT_EQ(resolved("a/b"), "/user/ann/a/b");
  EXPECT_EQ(resolved("."), "/user/ann");
  EXPECT_EQ(resolved("../bob"), "/user/bob");
  EXPECT_EQ(resolved("/../.."), "/");
  EXPECT_EQ(resolved("//a///b//"), "/a/b");
  EXPECT_EQ(resolved("hdfs://ns:8020/a"), "/a");
  EXPECT_EQ(resolved("hdfs:///a"), "/a");
  EXPECT_EQ(resolved("hdfs://ns:8020"), "/");
  EXPECT_EQ(resolved("/a b/c:d/é%20?*"), "/a b/c:d/é%20?*");
  EXPECT_EQ(resolved("a://b"), "error");
  EXPECT_EQ(resolved("a/b://c"), "/user/ann/a/b:/c");
}

TEST(Paths, another_file_system_is_an_error_that_names_both) {
  const auto path = resolve_path("hdfs://other/a", "ns", "/user/ann");
  ASSERT_FALSE(path);
  EXPECT_EQ(path.error().message, "hdfs://other is not the file system in use, which is hdfs://ns (fs.defaultFS)");
  EXPECT_EQ(resolved("s3://bucket/a"), "error");
  EXPECT_EQ(resolved(""), "error");
  EXPECT_EQ(resolved(std::string("a\0b", 3)), "error");
}

TEST(Paths, are_joined_and_divided) {
  EXPECT_EQ(join_path("/", "a"), "/a");
  EXPECT_EQ(join_path("/a", "b"), "/a/b");
  EXPECT_EQ(parent_path("/a/b"), "/a");
  EXPECT_EQ(parent_path("/a"), "/");
  EXPECT_EQ(parent_path("/"), "/");
  EXPECT_EQ(base_name("/a/b"), "b");
  EXPECT_TRUE(is_below("/a/b", "/a"));
  EXPECT_TRUE(is_below("/a", "/a"));
  EXPECT_TRUE(is_below("/a", "/"));
  EXPECT_FALSE(is_below("/ab", "/a"));
  EXPECT_EQ(trash_path("/user/ann", "/data/x"), "/user/ann/.Trash/Current/data/x");
}

TEST(Paths, a_name_that_is_not_utf8_is_refused_rather_than_changed) {
  EXPECT_TRUE(check_name("tab\there, \xc3\xa9, \x01"));
  EXPECT_EQ(check_name("caf\xe9").error().message,
            "'caf\xef\xbf\xbd' is not valid UTF-8, which HDFS requires for names: rename the file");
  EXPECT_EQ(resolved("/caf\xe9"), "error");
}

}  // namespace
}  // namespace ydl::hdfs
