#pragma once

#include "cli/args/commands.hpp"
#include "cli/commands/log_printer.hpp"
#include "client/job_client.hpp"

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <tuple>

namespace ydl::cli {

// Prints the logs of another user's job as its master gives them.
class ForeignLogs {
 public:
  ForeignLogs(const net::asio::any_io_executor& executor, net::Endpoint master, const Logs& command, std::string job)
      : master_(executor, std::move(master)),
        command_(command),
        printer_(command, std::move(job), LogPrinter::format_of(command)) {}

  // What has been added since the last time. Errors: the master's, where it cannot be asked for the job.
  [[nodiscard]] net::Async<> poll();
  // Prints lines that have no end yet.
  void finish_lines();
  // Says which logs could not be had; the exit code.
  [[nodiscard]] int complain_of_missing();

 private:
  enum class LineEnd { there, missing };

  struct File {
    std::uint64_t offset = 0;
    std::string partial;
    std::string trouble;           // why nothing more came
    std::deque<std::string> last;  // the lines that --tail keeps of the first poll
  };
  using Key = std::tuple<core::TaskId, int, std::string>;  // task, attempt, stream

  [[nodiscard]] net::awaitable<void> read(const Key& key, File& file);
  void take_line(const Key& key, File& file, std::string_view line);
  void print_line(const Key& key, std::string_view line, LineEnd end);

  client::JobClient master_;
  Logs command_;
  LogPrinter printer_;
  std::map<Key, File> files_;
  bool is_first_poll_ = true;
};

}  // namespace ydl::cli
