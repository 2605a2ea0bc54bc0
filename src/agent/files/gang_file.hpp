#pragma once

#include "core/result.hpp"
#include "protocol/commands.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <string>

namespace ydl::agent {

// The kernel accepts no variable of 128 KiB or more, and every process of the task gets a copy of its environment.
inline constexpr std::size_t kMostTasksJson = std::size_t{64} << 10U;

// The file with all tasks of a gang, for the tasks of this agent. It is written once for each start of the gang.
class GangFile {
 public:
  // Writes the file into `folder`, unless it exists. Errors: it cannot be written.
  [[nodiscard]] core::Result<std::filesystem::path> write(const std::filesystem::path& folder,
                                                          const protocol::GangFacts& gang);

 private:
  std::filesystem::path file_;
  std::string tasks_;  // its content
};

// Adds YDL_TASKS_FILE, and YDL_TASKS_JSON if its value is not too long. Variables that the launch sets are not
// replaced.
void add_gang(std::map<std::string, std::string>& environment, const protocol::GangFacts& gang,
              const std::filesystem::path& file);

}  // namespace ydl::agent
