#include "client/log_files.hpp"

#include "core/strings.hpp"

#include <algorithm>
#include <system_error>

namespace ydl::client {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> children(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator(); entry.increment(error))
    paths.push_back(entry->path());
  std::ranges::sort(paths);
  return paths;
}

}  // namespace

std::optional<core::TaskId> task_of_folder(std::string_view name) {
  const auto dash = name.rfind('-');
  if (dash == std::string_view::npos || dash == 0) return std::nullopt;
  const auto index = core::parse_int<int>(name.substr(dash + 1));
  if (!index || *index < 0) return std::nullopt;
  return core::TaskId{std::string(name.substr(0, dash)), *index};
}

bool names_task(std::string_view wanted, const core::TaskId& task) {
  return wanted.empty() || wanted == task.role || wanted == task.str();
}

LogFiles find_logs(const jobs::JobFolder& folder, const LogFilter& filter) {
  LogFiles found;
  for (const auto& task_folder : children(folder.logs())) {
    const auto task = task_of_folder(task_folder.filename().string());
    if (!task || !names_task(filter.task, *task)) continue;
    for (const auto& attempt_folder : children(task_folder)) {
      const auto attempt = core::parse_int<int>(attempt_folder.filename().string());
      if (!attempt) continue;
      found.attempts.insert(*attempt);
      if (filter.attempt != 0 && *attempt != filter.attempt) continue;
      for (const auto* stream : {"stdout", "stderr"}) {
        if (filter.stream.empty() || filter.stream == stream)
          found.files.push_back({*task, *attempt, stream, attempt_folder / stream});
      }
    }
  }
  return found;
}

}  // namespace ydl::client
