#pragma once

#include "hdfs/file_system.hpp"
#include "hdfs/log_copy.hpp"
#include "net/asio.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

// The small files of a job in HDFS.
namespace ydl::backend {

// Replaces a file in one step, so that a reader sees either the old or the new content.
[[nodiscard]] net::Async<> write_remote_file(hdfs::FileSystem& fs, std::string path, std::string content,
                                             std::uint32_t mode = 0600);
// Errors: not_found among others; io if the file is longer than `limit`.
[[nodiscard]] net::Async<std::string> read_remote_file(hdfs::FileSystem& fs, std::string path,
                                                       std::size_t limit = std::size_t{64} << 20U);

// The folder whose entries name the agents that must end, for agents that hear no master. The entries are folders,
// because creating a folder needs only the NameNode.
[[nodiscard]] std::string revocations(const std::string& job_folder);

// The entries of a folder; empty if it does not exist.
[[nodiscard]] net::Async<std::vector<hdfs::FileStatus>> list_or_nothing(hdfs::FileSystem& fs, std::string path);

// Keeps copies of a job's records (state.json, view.json, events.jsonl) in its folder in HDFS while the job runs.
// Clients read them there if they cannot reach the master, and after the job has ended. Events are appended as they
// come; the other two files are small and replaced as a whole.
class RecordMirror {
 public:
  // Whether another master has taken over the job, and then writes its records. May be empty if there cannot be one.
  using IsTaken = std::function<net::Async<bool>()>;
  RecordMirror(const net::asio::any_io_executor& executor, std::shared_ptr<hdfs::FileSystem> fs,
               std::filesystem::path from, std::string to, IsTaken is_taken = {});

  // Runs until finish(). Calls `write_view` every few seconds if there were new events.
  [[nodiscard]] net::awaitable<void> run(std::function<void()> write_view);
  // Call this when the job has ended. Returns when all is copied or copying has failed. Removes incomplete files of
  // earlier masters.
  [[nodiscard]] net::awaitable<void> finish();

 private:
  struct Seen {
    std::uintmax_t size = 0;
    std::filesystem::file_time_type modified;
    bool operator==(const Seen&) const = default;
  };
  [[nodiscard]] net::awaitable<void> copy();
  [[nodiscard]] net::Async<> copy_one(std::string name);
  [[nodiscard]] net::awaitable<void> remove_unfinished();
  // Nothing if it does not exist yet.
  [[nodiscard]] std::optional<Seen> look_at(const std::string& name) const;

  std::shared_ptr<hdfs::FileSystem> fs_;
  std::filesystem::path from_;
  std::string to_;
  IsTaken is_taken_;
  std::shared_ptr<hdfs::LogCopy> events_;
  std::map<std::string, Seen> copied_;
  bool copying_ = false;
  bool stopped_ = false;
  bool complained_ = false;
};

}  // namespace ydl::backend
