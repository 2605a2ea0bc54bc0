#include "agent/files/gang_file.hpp"

#include "core/files.hpp"

#include <fmt/format.h>

namespace ydl::agent {

core::Result<std::filesystem::path> GangFile::write(const std::filesystem::path& folder,
                                                    const protocol::GangFacts& gang) {
  auto file = folder / fmt::format(".tasks-{}.json", gang.start);
  if (file == file_ && tasks_ == gang.tasks) return file;
  if (auto written = core::write_file_atomically(file, gang.tasks + "\n", 0600); !written)
    return core::fail(written.error());
  file_ = file;
  tasks_ = gang.tasks;
  return file;
}

void add_gang(std::map<std::string, std::string>& environment, const protocol::GangFacts& gang,
              const std::filesystem::path& file) {
  environment.try_emplace("YDL_TASKS_FILE", file.string());
  if (gang.tasks.size() <= kMostTasksJson) environment.try_emplace("YDL_TASKS_JSON", gang.tasks);
}

}  // namespace ydl::agent
