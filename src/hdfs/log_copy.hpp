#pragma once

#include "core/files.hpp"
#include "hdfs/file_system.hpp"
#include "hdfs/log_copy_fsm.hpp"
#include "net/asio.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace ydl::hdfs {

// Copies a task's log to HDFS while it grows. The copy is created with the first byte, flushed every second (or another
// period) if there are new bytes, and closed at the end. Failures of HDFS neither stop the task nor need more memory:
// bytes that cannot be written now are still in the log file. After a failure the copy continues where it ended.
// LogCopyFsm decides what to do next.
class LogCopy : public std::enable_shared_from_this<LogCopy> {
 public:
  struct Options {
    std::filesystem::path from;
    std::string to;
    std::function<void(const core::Error&)> on_trouble;  // called with the first failure
    std::uint32_t mode = 0666;                           // permissions of the copy, before the umask is applied
    // Small blocks, because an open file reserves a whole block on each of its DataNodes, and each task has several.
    std::uint64_t block_size = std::uint64_t{4} << 20U;
    core::Millis flush_period = core::Seconds(1);
    // Returns whether another process has taken over writing the copy; then this copy ends. Checked before and after
    // opening the file: the other process announces itself before it takes the file's lease, so one of the two checks
    // sees it.
    std::function<net::Async<bool>()> is_taken = {};
  };
  LogCopy(const net::asio::any_io_executor& executor, hdfs::FileSystem& fs, Options options);

  void start();
  // Call it when the log no longer grows. Waits until all of it is copied. Gives up after `patience` without progress.
  // Errors: the reason of the last failure, or timeout.
  [[nodiscard]] net::Async<> finish(core::Millis patience);
  // Number of bytes missing in the copy because the task truncated its log before they were stored.
  [[nodiscard]] std::uint64_t lost() const { return fsm_.lost(); }
  void cancel();

 private:
  [[nodiscard]] static net::awaitable<void> run(std::shared_ptr<LogCopy> self);
  // Does the next actions until there is nothing to do. Errors: those of HDFS and of reading the log.
  [[nodiscard]] net::Async<> copy_new_bytes();
  [[nodiscard]] net::Async<> open_writer();
  [[nodiscard]] net::Async<bool> is_taken();
  [[nodiscard]] net::Async<> create_file();
  [[nodiscard]] net::Async<> append_to_file();
  [[nodiscard]] net::Async<> write_piece();
  [[nodiscard]] net::Async<> flush();
  [[nodiscard]] net::Async<> close();
  [[nodiscard]] core::Result<std::uint64_t> size_of_log();
  void failed(const core::Error& error);

  net::asio::any_io_executor executor_;
  hdfs::FileSystem& fs_;
  Options options_;
  core::UniqueFd file_;
  std::unique_ptr<char[]> piece_;
  LogCopyFsm fsm_;
  std::optional<hdfs::FileWriter> writer_;
  std::optional<std::uint64_t> block_size_;  // nothing: the cluster's own
  bool created_ = false;
  bool has_reported_failure_ = false;
  std::optional<core::Error> last_failure_;
  core::Instant progress_at_{};
  bool cancelled_ = false;
  bool done_ = false;
  net::Signal news_;
  net::Signal ended_;
};

}  // namespace ydl::hdfs
