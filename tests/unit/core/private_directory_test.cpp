#include "core/private_directory.hpp"

#include "core/files.hpp"
#include "support/temp_dir.hpp"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ydl::core {
namespace {

using testing::HasSubstr;

constexpr uid_t kOtherUser = 61'234;

unsigned mode_of(const std::filesystem::path& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 07777U : 0;
}

std::string refusal(const std::filesystem::path& path) {
  const auto made = make_private_directory(path);
  return made ? "accepted" : made.error().message;
}

TEST(PrivateDirectory, is_created_with_its_parents) {
  const test::TempDir dir;
  ASSERT_TRUE(make_private_directory(dir.path() / "state" / "ydl"));
  EXPECT_EQ(mode_of(dir.path() / "state" / "ydl"), 0700U);
}

TEST(PrivateDirectory, an_existing_folder_of_the_user_is_closed_to_others) {
  const test::TempDir dir;
  const auto folder = dir.path() / "ydl";
  ASSERT_TRUE(make_directories(folder));
  for (const mode_t mode : {0777U, 01777U, 0750U, 0000U}) {
    ASSERT_EQ(::chmod(folder.c_str(), mode), 0);
    ASSERT_TRUE(make_private_directory(folder));
    EXPECT_EQ(mode_of(folder), 0700U);
  }
}

TEST(PrivateDirectory, a_link_of_the_user_is_followed) {
  const test::TempDir dir;
  ASSERT_TRUE(make_directories(dir.path() / "disk"));
  std::filesystem::create_directory_symlink(dir.path() / "disk", dir.path() / "ydl");
  ASSERT_TRUE(make_private_directory(dir.path() / "ydl"));
  EXPECT_EQ(mode_of(dir.path() / "disk"), 0700U);
}

TEST(PrivateDirectory, a_folder_or_link_of_another_user_is_refused_and_not_changed) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a folder to another user";
  const test::TempDir dir;
  const auto foreign = dir.path() / "foreign";
  ASSERT_TRUE(make_directories(foreign));
  ASSERT_EQ(::chown(foreign.c_str(), kOtherUser, kOtherUser), 0);
  EXPECT_THAT(refusal(foreign), HasSubstr("belongs to user 61234 and not to you (user 0)"));
  EXPECT_EQ(mode_of(foreign), 0755U);
  ASSERT_TRUE(make_directories(dir.path() / "ours"));
  const auto link = dir.path() / "link";
  std::filesystem::create_directory_symlink(dir.path() / "ours", link);
  ASSERT_EQ(::lchown(link.c_str(), kOtherUser, kOtherUser), 0);
  EXPECT_THAT(refusal(link), HasSubstr("belongs to user 61234"));
}

TEST(PrivateDirectory, a_file_with_this_name_is_an_error) {
  const test::TempDir dir;
  ASSERT_TRUE(write_file_atomically(dir.path() / "file", ""));
  EXPECT_THAT(refusal(dir.path() / "file"), HasSubstr("cannot make the directory"));
}

}  // namespace
}  // namespace ydl::core
