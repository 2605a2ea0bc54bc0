#pragma once

#include "client/job_client.hpp"
#include "client/log_reader.hpp"

#include <map>
#include <string>
#include <tuple>

namespace ydl::cli {

// Prints the logs of another user's job as its master gives them. One task's lines come as they are, its stderr on
// ours; those of several tasks come with their names before them.
class ForeignLogs {
 public:
  // `json_of`: the job whose lines come as JSON; empty: they come as text.
  ForeignLogs(const net::asio::any_io_executor& executor, net::Endpoint master, client::LogReader::Filter filter,
              std::string json_of)
      : master_(executor, std::move(master)), filter_(std::move(filter)), json_of_(std::move(json_of)) {}

  // What has been added since the last time. Errors: the master's, where it cannot be asked for the job.
  [[nodiscard]] net::Async<> poll();
  // Prints lines that have no end yet.
  void finish_lines();
  // Says which logs could not be had; the exit code.
  [[nodiscard]] int complain_of_missing() const;

 private:
  struct File {
    std::uint64_t offset = 0;
    std::string partial;
    std::string trouble;  // why nothing more came
  };
  using Key = std::tuple<core::TaskId, int, std::string>;  // task, attempt, stream

  [[nodiscard]] net::awaitable<void> read(const Key& key, File& file);
  void print_line(const Key& key, std::string_view line) const;

  client::JobClient master_;
  client::LogReader::Filter filter_;
  std::string json_of_;
  std::map<Key, File> files_;
};

}  // namespace ydl::cli
