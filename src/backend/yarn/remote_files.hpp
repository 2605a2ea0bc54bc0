#pragma once

#include "hdfs/file_system.hpp"
#include "net/asio.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

// The small files of a job on HDFS.
namespace ydl::backend {

// Under another name until it is whole: a reader sees the old content or the new.
[[nodiscard]] net::Async<> write_remote_file(hdfs::FileSystem& fs, std::string path, std::string content,
                                             std::uint32_t mode = 0600);
// Errors: not_found among others; io when it is longer than `limit`.
[[nodiscard]] net::Async<std::string> read_remote_file(hdfs::FileSystem& fs, std::string path,
                                                       std::size_t limit = std::size_t{64} << 20U);

// The entries of a folder; none where it does not exist.
[[nodiscard]] net::Async<std::vector<hdfs::FileStatus>> list_or_nothing(hdfs::FileSystem& fs, std::string path);

// Keeps copies of a job's records (state.json, view.json, events.jsonl) in its folder on HDFS while the job runs: who
// cannot reach the master reads them there, and so does everybody after its end.
class RecordMirror {
 public:
  RecordMirror(std::shared_ptr<hdfs::FileSystem> fs, std::filesystem::path from, std::string to)
      : fs_(std::move(fs)), from_(std::move(from)), to_(std::move(to)) {}

  // Copies what has changed since the last time. What cannot be written is tried again the next time.
  [[nodiscard]] net::awaitable<void> copy();
  // Once a second, until stop(). `write_view` is called every few seconds, when something has happened since.
  [[nodiscard]] net::awaitable<void> run(std::function<void()> write_view);
  void stop() { stopped_ = true; }

 private:
  struct Seen {
    std::uintmax_t size = 0;
    std::filesystem::file_time_type modified;
    bool operator==(const Seen&) const = default;
  };
  // What is to be copied; nothing where it is not there yet, or has been.
  [[nodiscard]] std::optional<Seen> news_of(const std::string& name) const;

  std::shared_ptr<hdfs::FileSystem> fs_;
  std::filesystem::path from_;
  std::string to_;
  std::map<std::string, Seen> copied_;
  bool copying_ = false;
  bool stopped_ = false;
  bool complained_ = false;
};

}  // namespace ydl::backend
