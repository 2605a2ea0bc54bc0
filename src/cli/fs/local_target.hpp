#pragma once

#include "core/files.hpp"
#include "hdfs/types.hpp"
#include "net/asio.hpp"

#include <memory>
#include <string>
#include <string_view>

#include <boost/asio/posix/stream_descriptor.hpp>

namespace ydl::cli {

// The local file that a copy is written to.
//
// A regular file has a temporary name in the same folder until it is complete. A device or a pipe is never replaced by
// a file: bytes are written to it directly. Life cycle: open(), any number of write(), finish(); without finish() a
// regular file is deleted.
class LocalTarget {
 public:
  // `overwrite`: whether an existing regular file may be replaced.
  LocalTarget(net::asio::any_io_executor executor, std::string path, hdfs::Overwrite overwrite);
  ~LocalTarget();
  LocalTarget(const LocalTarget&) = delete;
  LocalTarget& operator=(const LocalTarget&) = delete;

  // For a pipe, waits until it has a reader. Errors: exists (and must not be replaced), io, cancelled.
  [[nodiscard]] net::Async<> open();
  [[nodiscard]] net::Async<> write(std::string_view bytes);
  // Gives a regular file its final name. Errors: exists (the file was created in the meantime), io.
  [[nodiscard]] core::Result<> finish();

  // A waiting open() or write() and all further calls fail with `cancelled`.
  void stop();

 private:
  [[nodiscard]] net::Async<> open_stream();
  [[nodiscard]] core::Result<> open_file();
  [[nodiscard]] core::Error exists() const;
  [[nodiscard]] core::Error stopped() const;

  net::asio::any_io_executor executor_;
  std::string path_;
  hdfs::Overwrite overwrite_;
  std::string unfinished_;                                           // the temporary name of a regular file
  core::UniqueFd file_;                                              // only for a regular file
  std::unique_ptr<net::asio::posix::stream_descriptor> descriptor_;  // only for pipes and devices
  bool stopped_ = false;
};

}  // namespace ydl::cli
