#pragma once

#include "job/event_codec.hpp"
#include "master/line_file.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace ydl::master {

// Records the events of the job's state machine, so that the job can be replayed. The journal (journal.hpp) is for
// users; this file is for a Machine.
class ToldLog {
 public:
  explicit ToldLog(const std::filesystem::path& file);

  void add(const job::TimedEvent& event);

  // Writes all events since the last successful flush. Errors: io; the next flush tries again.
  [[nodiscard]] core::Result<void> flush();

 private:
  LineFile file_;
  std::string waiting_;
};

}  // namespace ydl::master
