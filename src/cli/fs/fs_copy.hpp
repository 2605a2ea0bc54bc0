#pragma once

#include "cli/fs/fs_session.hpp"
#include "client/transfer_bar.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ydl::cli {

struct CopyFile {
  std::string from;
  std::string to;
  std::uint64_t size = 0;
};

// How far a copy is, for whoever looks.
class CopyProgress {
 public:
  CopyProgress(const Fs& command, const std::vector<CopyFile>& files);
  void add(std::uint64_t bytes);
  void file_done() { ++transfer_.files_done; }
  // Takes the line away.
  void clear() { bar_.clear(); }

 private:
  client::Transfer transfer_;
  client::TransferBar bar_;
};

// What a file is called while it is not whole: its name between prefix and suffix, or as much of it as leaves room for
// them. A name that is too long by itself stays so: whoever is to make the file says it.
[[nodiscard]] std::string unfinished_name(std::string_view prefix, std::string_view name, std::string_view suffix);

// Copies one file; what is left of it when it fails is nothing.
using CopyOne = std::function<net::Async<>(FsSession&, CopyProgress&, CopyFile)>;

// All files, several at a time. What fails is reported and does not stop the others.
[[nodiscard]] net::awaitable<void> copy_files(FsSession& session, std::vector<CopyFile> files, CopyOne copy_one);

}  // namespace ydl::cli
