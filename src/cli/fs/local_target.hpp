#pragma once

#include "core/files.hpp"
#include "hdfs/types.hpp"
#include "net/asio.hpp"

#include <memory>
#include <string>
#include <string_view>

#include <boost/asio/posix/stream_descriptor.hpp>

namespace ydl::cli {

// A file of this machine that a copy is written to, under the name that the user gave.
//
// A regular file has another name in the same folder until it is whole. A device or a pipe is never replaced by a file:
// its bytes are written to it as they come. Life cycle: open(), write() any number of times, finish(); without finish()
// nothing is left of a regular file.
class LocalTarget {
 public:
  // `overwrite`: whether a regular file of that name may be replaced.
  LocalTarget(net::asio::any_io_executor executor, std::string path, hdfs::Overwrite overwrite);
  ~LocalTarget();
  LocalTarget(const LocalTarget&) = delete;
  LocalTarget& operator=(const LocalTarget&) = delete;

  // Of a pipe: waits until there is a reader. Errors: exists (it must not be replaced), io, cancelled.
  [[nodiscard]] net::Async<> open();
  [[nodiscard]] net::Async<> write(std::string_view bytes);
  // Gives a regular file its name. Errors: exists (somebody else made the file meanwhile), io.
  [[nodiscard]] core::Result<> finish();

  // Ends an open() or write() that waits, and all that follow, with `cancelled`.
  void stop();

 private:
  [[nodiscard]] net::Async<> open_stream();
  [[nodiscard]] core::Result<> open_file();
  [[nodiscard]] core::Error exists() const;
  [[nodiscard]] core::Error stopped() const;

  net::asio::any_io_executor executor_;
  std::string path_;
  hdfs::Overwrite overwrite_;
  std::string unfinished_;                                           // the regular file's name until finish()
  core::UniqueFd file_;                                              // of a regular file
  std::unique_ptr<net::asio::posix::stream_descriptor> descriptor_;  // of what is not a regular file
  bool stopped_ = false;
};

}  // namespace ydl::cli
