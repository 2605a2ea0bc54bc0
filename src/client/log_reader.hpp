#pragma once

#include "client/log_files.hpp"
#include "core/ids.hpp"
#include "jobs/job_folder.hpp"
#include "ui/model.hpp"

#include <functional>
#include <map>
#include <set>
#include <string>

namespace ydl::client {

// Reads the log files of a job's tasks as they grow, over restarts of the tasks. Lines come whole; the unfinished last
// line of a file comes with drain().
class LogReader {
 public:
  using Filter = LogFilter;

  LogReader(jobs::JobFolder folder, Filter filter) : folder_(std::move(folder)), filter_(std::move(filter)) {}

  using Take = std::function<void(const ui::LogLine&)>;
  // New lines since the last call, from at most 256 KiB, so that the caller can do other things in between. True:
  // there are more.
  bool poll(const Take& take);
  // The unfinished last lines. False: there are lines that poll() has not given out.
  bool drain(const Take& take);
  // The attempts of which there are logs, whatever the filter says of attempts.
  [[nodiscard]] const std::set<int>& attempts() const { return attempts_; }

 private:
  struct File {
    core::TaskId task;
    std::string stream;
    std::uint64_t offset = 0;
    std::string partial;
  };

  void discover();
  // Reads at most `budget` bytes and takes them from it. True: there are more.
  static bool read(const std::string& path, File& file, std::size_t& budget, const Take& take);

  jobs::JobFolder folder_;
  Filter filter_;
  std::map<std::string, File> files_;  // by path
  std::set<int> attempts_;
};

}  // namespace ydl::client
