#pragma once

#include "hdfs/file_system.hpp"
#include "net/asio.hpp"

#include <string>

namespace ydl::backend {

// The state of the folder in which a user's jobs keep their files and keys.
enum class FolderState {
  missing,
  ready,    // belongs to the user, who alone can enter it
  open,     // belongs to the user, but others can enter it: its mode must be set
  foreign,  // belongs to another user, who could replace its contents
  file,     // is not a folder
};

// Pure. `user` is the name of this user at the NameNode.
[[nodiscard]] FolderState folder_state(const std::optional<hdfs::FileStatus>& found, const std::string& user);

// Creates the user's folder in HDFS if it is missing, and sets its mode to 0700 if others can enter it.
// Errors: those of HDFS; refused, if it belongs to another user or there is no home directory, with the remedy.
[[nodiscard]] net::Async<> make_private_folder(hdfs::FileSystem& fs, std::string path, std::string user);

}  // namespace ydl::backend
