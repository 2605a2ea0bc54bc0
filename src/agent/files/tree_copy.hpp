#pragma once

#include "hdfs/file_system.hpp"
#include "net/asio.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

// Whole directories between this machine and HDFS, several files at a time.
namespace ydl::agent {

// A copy as those see it who want to know how far it is, or want it to end.
struct Copying {
  core::Millis patience = std::chrono::minutes(5);  // how long one file is tried when HDFS cannot take or give it
  bool cancelled = false;
  std::uint64_t bytes = 0;
  std::function<void(const core::Error&)> on_wait = {};  // something has to be tried again
};

// A file below a directory of this machine.
struct TreeFile {
  std::string path;  // relative, as the file system has it: any bytes
  std::uint64_t size = 0;
  std::uint32_t mode = 0;
};

struct LocalTree {
  std::vector<std::string> directories;  // parents first
  std::vector<TreeFile> files;
  std::vector<std::string> left_out;  // no files: sockets, links that lead nowhere or out of the directory, ...

  [[nodiscard]] bool empty() const { return directories.empty() && files.empty(); }
};

// What lies below a directory. A link to a file of the same directory counts as that file. One that is not there is
// empty. Errors: io.
[[nodiscard]] core::Result<LocalTree> list_tree(const std::filesystem::path& root);

struct StoredFile {
  std::string path;  // relative, as it is stored: stored_names.hpp
  std::uint64_t size = 0;
  std::string sha256;
};

// Errors: io (this machine), cancelled, those of FileSystem.
[[nodiscard]] net::Async<std::vector<StoredFile>> upload_tree(hdfs::FileSystem& fs, std::filesystem::path from,
                                                              LocalTree tree, std::string to, Copying& copying);

// One file, over whatever is there; `from` names it on this machine. Errors as above.
[[nodiscard]] net::Async<StoredFile> upload_file(hdfs::FileSystem& fs, std::filesystem::path from, std::string to,
                                                 std::uint32_t mode, Copying& copying);

// A file of HDFS, and where it is to be on this machine.
struct RemoteFile {
  std::string from;
  std::filesystem::path to;
  std::uint32_t mode = 0;
};
// Files that are there are replaced; their folders are there. Errors as above.
[[nodiscard]] net::Async<> download_file(hdfs::FileSystem& fs, RemoteFile file, Copying& copying);

inline constexpr std::size_t kCopiedAtATime = 4;

enum class Names { as_they_are, stored };  // stored: escaped, with a manifest of ours beside them

// A file or a directory with all below it. Files that are there are replaced. Errors as above, and not_found.
[[nodiscard]] net::Async<> download_tree(hdfs::FileSystem& fs, std::string from, std::filesystem::path to, Names names,
                                         Copying& copying);

// Tries again, with pauses, what HDFS cannot do now: in safe mode, without a NameNode or DataNodes.
[[nodiscard]] net::Async<> persist(std::function<net::Async<>()> work, Copying& copying);

}  // namespace ydl::agent
