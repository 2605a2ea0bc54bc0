#pragma once

#include "core/files.hpp"
#include "job/event_codec.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace ydl::master {

// Writes down what the job's state machine is told, so that another master can bring a machine to the same state. The
// journal (journal.hpp) is for people; this file is for a Machine.
class ToldLog {
 public:
  explicit ToldLog(const std::filesystem::path& file);

  void add(const job::Event& event, core::Instant now);

  // Writes all that was added since the last flush. Errors: io; what was not written is lost.
  [[nodiscard]] core::Result<void> flush();

 private:
  std::filesystem::path file_;
  core::UniqueFd fd_;
  std::optional<core::Instant> began_;
  std::string waiting_;
};

}  // namespace ydl::master
