#pragma once

#include "hdfs/file_system.hpp"
#include "net/asio.hpp"

#include <string>

namespace ydl::backend {

// What is to be done about the folder in which a user's jobs keep their files and keys.
enum class FolderState {
  missing,
  ready,    // belongs to the user, who alone can enter it
  open,     // belongs to the user and lets others in: its mode is to be set
  foreign,  // belongs to somebody else, who could replace everything in it
  file,     // is not a folder
};

// Pure. `user` is what the NameNode calls us.
[[nodiscard]] FolderState folder_state(const std::optional<hdfs::FileStatus>& found, const std::string& user);

// The user's folder on HDFS, made where it is missing and closed to others where it is open (mode 0700).
// Errors: HDFS's; refused, when it belongs to somebody else; a user without a home directory is told whom to ask.
[[nodiscard]] net::Async<> make_private_folder(hdfs::FileSystem& fs, std::string path, std::string user);

}  // namespace ydl::backend
