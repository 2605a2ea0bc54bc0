#pragma once

#include "cli/fs/fs_session.hpp"
#include "client/transfer_bar.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ydl::cli {

// Shows the progress of a copy.
class CopyProgress {
 public:
  CopyProgress(const Fs& command, const std::vector<CopyFile>& files);
  void add(std::uint64_t bytes);
  void file_done() { ++transfer_.files_done; }
  // Removes the progress line.
  void clear() { bar_.clear(); }

 private:
  client::Transfer transfer_;
  client::TransferBar bar_;
};

// The temporary name of an incomplete file: its name between prefix and suffix, shortened if necessary to leave room
// for them. A name that is itself too long stays too long, so that creating the file reports the error.
[[nodiscard]] std::string unfinished_name(std::string_view prefix, std::string_view name, std::string_view suffix);

// Copies one file. Must leave nothing behind after a failure.
using CopyOne = std::function<net::Async<>(FsSession&, CopyProgress&, CopyFile)>;

// Copies all files, several at once. A failure is reported, and the others are still copied.
[[nodiscard]] net::awaitable<void> copy_files(FsSession& session, std::vector<CopyFile> files, CopyOne copy_one);

}  // namespace ydl::cli
