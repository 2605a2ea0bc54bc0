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

// The small files of a job on HDFS.
namespace ydl::backend {

// Under another name until it is whole: a reader sees the old content or the new.
[[nodiscard]] net::Async<> write_remote_file(hdfs::FileSystem& fs, std::string path, std::string content,
                                             std::uint32_t mode = 0600);
// Errors: not_found among others; io when it is longer than `limit`.
[[nodiscard]] net::Async<std::string> read_remote_file(hdfs::FileSystem& fs, std::string path,
                                                       std::size_t limit = std::size_t{64} << 20U);

// The folder whose entries name the agents that have to end, for those that hear no master. They are folders: those are
// made by the NameNode alone.
[[nodiscard]] std::string revocations(const std::string& job_folder);

// The entries of a folder; none where it does not exist.
[[nodiscard]] net::Async<std::vector<hdfs::FileStatus>> list_or_nothing(hdfs::FileSystem& fs, std::string path);

// Keeps copies of a job's records (state.json, view.json, events.jsonl) in its folder on HDFS while the job runs: who
// cannot reach the master reads them there, and so does everybody after its end. The events are appended as they come;
// the other two are small and replaced as a whole.
class RecordMirror {
 public:
  // Whether another master has the job, whose records are written by nobody else; empty: there is none.
  using IsTaken = std::function<net::Async<bool>()>;
  RecordMirror(const net::asio::any_io_executor& executor, std::shared_ptr<hdfs::FileSystem> fs,
               std::filesystem::path from, std::string to, IsTaken is_taken = {});

  // Until finish(). `write_view` is called every few seconds, when something has happened since.
  [[nodiscard]] net::awaitable<void> run(std::function<void()> write_view);
  // The job has ended: returns when all is copied, or cannot be. Removes what earlier masters left half-written.
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
  // Nothing where it is not there yet.
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
