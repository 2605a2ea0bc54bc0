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

// Copies a task's log to HDFS while it grows: made with the first byte, flushed every second that has news, closed at
// the end. Nothing that HDFS does stops the task or costs more memory than a piece: what cannot be written now is still
// in the file. After a failure the copy is taken up again where it ended. What to do when is decided by LogCopyFsm.
class LogCopy : public std::enable_shared_from_this<LogCopy> {
 public:
  struct Options {
    std::filesystem::path from;
    std::string to;
    std::function<void(const core::Error&)> on_trouble;  // the first failure
    std::uint32_t mode = 0666;                           // of the copy, before the umask
    // Whether somebody else writes the copy from now on. Asked before and after the file is opened: whoever takes it
    // over is there before it takes the file's lease, so one of the two does not go unnoticed. Then the copy ends.
    std::function<net::Async<bool>()> is_taken = {};
  };
  LogCopy(const net::asio::any_io_executor& executor, hdfs::FileSystem& fs, Options options);

  void start();
  // The file grows no more: waits until all of it is copied, as long as HDFS takes something now and then. Errors: why
  // it took nothing for so long.
  [[nodiscard]] net::Async<> finish(core::Millis patience);
  // Bytes that are missing in the middle: the task cut its log before HDFS had them.
  [[nodiscard]] std::uint64_t lost() const { return fsm_.lost(); }
  void cancel();

 private:
  [[nodiscard]] static net::awaitable<void> run(std::shared_ptr<LogCopy> self);
  // Does what is to be done now, up to a wait. Errors: those of HDFS and of the log's file.
  [[nodiscard]] net::Async<> copy_news();
  [[nodiscard]] net::Async<> open_writer();
  [[nodiscard]] net::Async<bool> is_taken();
  [[nodiscard]] net::Async<> create_file();
  [[nodiscard]] net::Async<> go_on_with_file();
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
  // Small: an open file reserves a whole block on each of its DataNodes, and there are two of them for each task.
  std::optional<std::uint64_t> block_size_ = std::uint64_t{4} << 20U;
  bool created_ = false;
  bool troubled_ = false;
  std::optional<core::Error> last_failure_;
  core::Instant progress_at_{};
  bool cancelled_ = false;
  bool done_ = false;
  net::Signal news_;
  net::Signal ended_;
};

}  // namespace ydl::hdfs
