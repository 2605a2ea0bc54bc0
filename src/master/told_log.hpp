#pragma once

#include "job/event_codec.hpp"
#include "master/line_file.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace ydl::master {

// Writes down what the job's state machine is told, so that another master can bring a machine to the same state. The
// journal (journal.hpp) is for people; this file is for a Machine.
class ToldLog {
 public:
  explicit ToldLog(const std::filesystem::path& file);

  void add(const job::TimedEvent& event);

  // Writes all that was added since the last flush that succeeded. Errors: io; the next flush tries again.
  [[nodiscard]] core::Result<void> flush();

 private:
  LineFile file_;
  std::string waiting_;
};

}  // namespace ydl::master
