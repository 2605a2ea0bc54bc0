#include "agent/files/move_tree.hpp"

#include "core/files.hpp"
#include "support/temp_dir.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

namespace ydl::agent {
namespace {

namespace fs = std::filesystem;

class MoveTree : public testing::Test {
 protected:
  void write(const std::string& path, std::string_view text) const {
    fs::create_directories((from / path).parent_path());
    ASSERT_TRUE(core::write_file_atomically(from / path, text));
  }

  test::TempDir dir;
  fs::path from = dir.path() / "from";
  fs::path to = dir.path() / "to";
};

TEST_F(MoveTree, a_copy_has_all_files_with_their_modes_and_links_as_links) {
  write("model", "weights");
  write("run/deep/train.sh", "#!/bin/sh\n");
  fs::permissions(from / "run/deep/train.sh", fs::perms::owner_all);
  fs::permissions(from / "run/deep", fs::perms::owner_read | fs::perms::owner_exec);
  fs::create_symlink("model", from / "latest");
  fs::create_symlink("itself", from / "itself");
  ASSERT_EQ(::mkfifo((from / "pipe").c_str(), 0600), 0);
  const auto copied = copy_tree(from, to);
  ASSERT_TRUE(copied) << copied.error().message;
  EXPECT_EQ(core::read_file(to / "model"), "weights");
  EXPECT_EQ(core::read_file(to / "run/deep/train.sh"), "#!/bin/sh\n");
  EXPECT_EQ(fs::status(to / "run/deep/train.sh").permissions(), fs::perms::owner_all);
  EXPECT_EQ(fs::status(to / "run/deep").permissions(), fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_EQ(fs::read_symlink(to / "latest"), "model");
  EXPECT_EQ(fs::read_symlink(to / "itself"), "itself");
  EXPECT_FALSE(fs::exists(to / "pipe"));
  for (const auto& top : {from, to}) fs::permissions(top / "run/deep", fs::perms::owner_all);
}

TEST_F(MoveTree, a_copy_that_is_stopped_is_an_error) {
  write("model", "weights");
  std::stop_source stop;
  stop.request_stop();
  const auto copied = copy_tree(from, to, stop.get_token());
  ASSERT_FALSE(copied);
  EXPECT_EQ(copied.error().code, core::Errc::cancelled);
  EXPECT_NE(copied.error().message.find("model"), std::string::npos);
}

TEST_F(MoveTree, what_was_there_is_replaced) {
  write("model", "new");
  fs::create_directories(to / "old");
  ASSERT_TRUE(move_tree(from, to));
  EXPECT_EQ(core::read_file(to / "model"), "new");
  EXPECT_FALSE(fs::exists(to / "old"));
  EXPECT_FALSE(fs::exists(from));
}

TEST_F(MoveTree, a_copy_that_cannot_be_completed_leaves_what_was_there) {
  write("model", "new");
  fs::create_directories(to);
  ASSERT_TRUE(core::write_file_atomically(to / "model", "old"));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(replace_with_copy(from / "model", to / "model", stop.get_token()));
  EXPECT_EQ(core::read_file(to / "model"), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(to), {}), 1) << "half a copy is left";
  EXPECT_EQ(core::read_file(from / "model"), "new");
}

TEST_F(MoveTree, a_copy_may_have_a_long_name) {
  const std::string name(240, 'x');
  write(name.c_str(), "new");
  fs::create_directories(to);
  const auto copied = replace_with_copy(from / name, to / name);
  ASSERT_TRUE(copied) << copied.error().message;
  EXPECT_EQ(core::read_file(to / name), "new");
}

TEST_F(MoveTree, a_copy_replaces_whatever_was_there) {
  write("model", "new");
  fs::create_directories(to / "model" / "old");
  ASSERT_TRUE(replace_with_copy(from / "model", to / "model"));
  EXPECT_EQ(core::read_file(to / "model"), "new");
  EXPECT_FALSE(fs::exists(from / "model"));
  EXPECT_EQ(std::distance(fs::directory_iterator(to), {}), 1);
}

TEST_F(MoveTree, what_was_there_stays_if_it_cannot_be_replaced) {
  fs::create_directories(to);
  ASSERT_TRUE(core::write_file_atomically(to / "model", "old"));
  EXPECT_FALSE(move_tree(from / "missing", to / "model"));
  EXPECT_EQ(core::read_file(to / "model"), "old");
}

}  // namespace
}  // namespace ydl::agent
