#pragma once

#include "core/result.hpp"
#include "protocol/commands.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <string>

namespace ydl::agent {

// The kernel takes no variable of 128 KiB or more, and every process of the task gets a copy of what is in it.
inline constexpr std::size_t kMostTasksJson = std::size_t{64} << 10U;

// Where the tasks of this agent find all tasks of their gang: a file, written once for each start of the gang.
class GangFile {
 public:
  // Writes the file into `folder`, unless it is there. Errors: it cannot be written.
  [[nodiscard]] core::Result<std::filesystem::path> write(const std::filesystem::path& folder,
                                                          const protocol::GangFacts& gang);

 private:
  std::filesystem::path file_;
  std::string tasks_;  // what is in it
};

// Adds YDL_TASKS_FILE, and YDL_TASKS_JSON where its value is not too long. What the launch sets itself stays.
void add_gang(std::map<std::string, std::string>& environment, const protocol::GangFacts& gang,
              const std::filesystem::path& file);

}  // namespace ydl::agent
