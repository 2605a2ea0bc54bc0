#include "backend/yarn/site_cache.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::backend {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const SiteOwners kOwners{.cache = "deploy", .superuser = "hdfs"};

hdfs::FileStatus entry(hdfs::FileKind kind, const std::string& owner, std::uint32_t mode) {
  hdfs::FileStatus status;
  status.kind = kind;
  status.owner = owner;
  status.permission = mode;
  return status;
}

hdfs::FileStatus folder(const std::string& owner, std::uint32_t mode) {
  return entry(hdfs::FileKind::directory, owner, mode);
}

std::string above(const hdfs::FileStatus& status) {
  return distrust_above("/apps", status, kOwners);
}

std::string inside(const hdfs::FileStatus& status) {
  return distrust_inside("/apps/ydl/x", status, kOwners);
}

TEST(SiteCache, folders_above_it_may_be_open_only_with_the_sticky_bit) {
  EXPECT_EQ(above(folder("hdfs", 0755)), "");
  EXPECT_EQ(above(folder("deploy", 0755)), "");
  EXPECT_EQ(above(folder("hdfs", 01777)), "");
  EXPECT_THAT(above(folder("hdfs", 0777)), HasSubstr("`hdfs dfs -chmod go-w /apps`"));
  EXPECT_THAT(above(folder("hdfs", 0775)), HasSubstr("users other than its owner can change"));
  EXPECT_THAT(above(folder("hdfs", 0750)), HasSubstr("`hdfs dfs -chmod o+rx /apps`"));
  EXPECT_THAT(above(entry(hdfs::FileKind::file, "hdfs", 0644)), HasSubstr("is not a directory"));
}

TEST(SiteCache, a_folder_of_another_user_above_it_is_refused_with_any_mode) {
  EXPECT_THAT(above(folder("mallory", 0755)),
              AllOf(HasSubstr("/apps belongs to mallory and not to hdfs"), HasSubstr("site_cache_owner")));
  EXPECT_THAT(above(folder("mallory", 01777)), HasSubstr("belongs to mallory"));
}

TEST(SiteCache, nothing_in_it_may_be_open_or_belong_to_another_user) {
  EXPECT_EQ(inside(folder("deploy", 0755)), "");
  EXPECT_EQ(inside(entry(hdfs::FileKind::file, "deploy", 0644)), "");
  EXPECT_THAT(inside(folder("deploy", 01777)), HasSubstr("users other than its owner can change"));
  EXPECT_THAT(inside(entry(hdfs::FileKind::file, "deploy", 0664)), HasSubstr("users other than its owner can change"));
  EXPECT_THAT(inside(entry(hdfs::FileKind::file, "deploy", 0600)), HasSubstr("-chmod o+r /apps/ydl/x"));
  EXPECT_THAT(inside(folder("mallory", 0755)), HasSubstr("belongs to mallory and not to deploy"));
  EXPECT_THAT(inside(folder("hdfs", 0755)), HasSubstr("belongs to hdfs and not to deploy"));
}

}  // namespace
}  // namespace ydl::backend
