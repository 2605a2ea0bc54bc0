#pragma once

#include "hdfs/file_system.hpp"
#include "net/asio.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

// Copies whole directories between this machine and HDFS, several files at a time.
namespace ydl::agent {

// Progress and cancellation of a running copy.
struct Copying {
  core::Millis patience = std::chrono::minutes(5);  // how long to retry one file while HDFS fails
  bool cancelled = false;
  std::uint64_t bytes = 0;
  std::function<void(const core::Error&)> on_wait = {};  // called before a retry
};

// A file in a directory of this machine.
struct TreeFile {
  std::string path;  // relative; may contain any bytes
  std::uint64_t size = 0;
  std::uint32_t mode = 0;
};

struct LocalTree {
  std::vector<std::string> directories;  // parents come first
  std::vector<TreeFile> files;
  std::vector<std::string> left_out;  // not regular files: sockets, links to nothing or out of the directory, ...

  [[nodiscard]] bool empty() const { return directories.empty() && files.empty(); }
};

// The contents of a directory. A link to a file of the same directory counts as that file. A directory that does not
// exist is empty. Errors: io.
[[nodiscard]] core::Result<LocalTree> list_tree(const std::filesystem::path& root);

struct StoredFile {
  std::string path;  // relative, escaped as in stored_names.hpp
  std::uint64_t size = 0;
  std::string sha256;
};

// Errors: io (this machine), cancelled, those of FileSystem.
[[nodiscard]] net::Async<std::vector<StoredFile>> upload_tree(hdfs::FileSystem& fs, std::filesystem::path from,
                                                              LocalTree tree, std::string to, Copying& copying);

// Uploads one file and replaces an existing one. Errors as above.
[[nodiscard]] net::Async<StoredFile> upload_file(hdfs::FileSystem& fs, std::filesystem::path from, std::string to,
                                                 std::uint32_t mode, Copying& copying);

// A file in HDFS and its path on this machine.
struct RemoteFile {
  std::string from;
  std::filesystem::path to;
  std::uint32_t mode = 0;
};
// Replaces existing files; their folders must exist. Errors as above.
[[nodiscard]] net::Async<> download_file(hdfs::FileSystem& fs, RemoteFile file, Copying& copying);

inline constexpr std::size_t kCopiedAtATime = 4;

enum class Names { as_they_are, stored };  // stored: escaped names, with a manifest of ydl beside them

// Downloads a file, or a directory with its contents. Replaces existing files. Errors as above, and not_found.
[[nodiscard]] net::Async<> download_tree(hdfs::FileSystem& fs, std::string from, std::filesystem::path to, Names names,
                                         Copying& copying);

// Repeats with pauses what HDFS cannot do right now, for example in safe mode or without a NameNode or DataNodes.
[[nodiscard]] net::Async<> persist(std::function<net::Async<>()> work, Copying& copying);

}  // namespace ydl::agent
