#include "backend/yarn/private_folder.hpp"

#include <gtest/gtest.h>

namespace ydl::backend {
namespace {

hdfs::FileStatus folder(const std::string& owner, std::uint32_t mode) {
  hdfs::FileStatus status;
  status.kind = hdfs::FileKind::directory;
  status.owner = owner;
  status.permission = mode;
  return status;
}

TEST(PrivateFolder, is_ready_only_where_the_user_alone_can_enter) {
  EXPECT_EQ(folder_state(std::nullopt, "alice"), FolderState::missing);
  EXPECT_EQ(folder_state(folder("alice", 0700), "alice"), FolderState::ready);
  EXPECT_EQ(folder_state(folder("alice", 0755), "alice"), FolderState::open);
  EXPECT_EQ(folder_state(folder("alice", 0777), "alice"), FolderState::open);
  EXPECT_EQ(folder_state(folder("mallory", 0777), "alice"), FolderState::foreign);
  EXPECT_EQ(folder_state(folder("mallory", 0700), "alice"), FolderState::foreign);
  EXPECT_EQ(folder_state(hdfs::FileStatus{}, "alice"), FolderState::file);
}

}  // namespace
}  // namespace ydl::backend
