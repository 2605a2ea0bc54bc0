#pragma once

#include "cli/fs/fs_command.hpp"
#include "hdfs/file_system.hpp"
#include "net/asio.hpp"

#include <functional>
#include <list>
#include <string>
#include <vector>

namespace ydl::cli {

// One run of `ydl fs`: the file system and the errors so far. After a failure of one path, the others are still
// handled.
struct FsSession {
  const Fs& command;
  hdfs::FileSystem& fs;
  int exit_code = 0;
  int interrupted = 0;  // number of the signal to stop; 0: none
  std::list<std::function<void()>> on_interrupt = {};

  void interrupt(int signal);
  void fail(const core::Error& error);
  // Prints the error of a failed result. Returns whether it succeeded.
  bool check(const core::Result<>& result);
};

// Expands the patterns in a path. Errors: not_found (nothing matches), usage.
[[nodiscard]] net::Async<std::vector<std::string>> expand(hdfs::FileSystem& fs, std::string pattern);
// Expands all paths of the command. Failures are reported.
[[nodiscard]] net::awaitable<std::vector<std::string>> expand_all(FsSession& session,
                                                                  std::vector<std::string> patterns);

// The error for an existing file, if -f is not given.
[[nodiscard]] core::Error already_there(const std::string& path);

// The status of a file or directory. Errors: not_found.
[[nodiscard]] net::Async<hdfs::FileStatus> status_of(hdfs::FileSystem& fs, std::string path);

net::awaitable<void> fs_ls(FsSession& session);
net::awaitable<void> fs_du(FsSession& session);
net::awaitable<void> fs_stat(FsSession& session);
net::awaitable<void> fs_cat(FsSession& session);
net::awaitable<void> fs_tail(FsSession& session);
net::awaitable<void> fs_rm(FsSession& session);
net::awaitable<void> fs_mkdir(FsSession& session);
net::awaitable<void> fs_mv(FsSession& session);
net::awaitable<void> fs_chmod(FsSession& session);
net::awaitable<void> fs_put(FsSession& session);
net::awaitable<void> fs_get(FsSession& session);

}  // namespace ydl::cli
