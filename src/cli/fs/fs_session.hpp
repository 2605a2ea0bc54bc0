#pragma once

#include "cli/fs/fs_command.hpp"
#include "hdfs/file_system.hpp"
#include "net/asio.hpp"

#include <functional>
#include <list>
#include <string>
#include <vector>

namespace ydl::cli {

// One run of `ydl fs`: the file system, and what went wrong so far. A path that fails does not stop the others.
struct FsSession {
  const Fs& command;
  hdfs::FileSystem& fs;
  int exit_code = 0;
  int interrupted = 0;  // the signal that asks us to stop
  std::list<std::function<void()>> on_interrupt = {};

  void interrupt(int signal);
  void fail(const core::Error& error);
  // Says what went wrong, if something did.
  bool check(const core::Result<>& result);
};

// A path with the patterns in it replaced by what is there. Errors: not_found (nothing fits), usage.
[[nodiscard]] net::Async<std::vector<std::string>> expand(hdfs::FileSystem& fs, std::string pattern);
// Of all paths of the command; those that fail are reported.
[[nodiscard]] net::awaitable<std::vector<std::string>> expand_all(FsSession& session,
                                                                  std::vector<std::string> patterns);

// A path that only -f replaces.
[[nodiscard]] core::Error already_there(const std::string& path);

// What is at the path. Errors: not_found.
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
