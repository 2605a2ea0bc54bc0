#include "cli/commands/job_names.hpp"

#include "core/strings.hpp"
#include "jobs/job_folder.hpp"
#include "jobs/job_summary.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ydl::cli {

std::vector<JobName> job_names() {
  std::vector<JobName> names;
  const auto root = jobs::jobs_root();
  if (!root) return names;
  for (const auto& job : jobs::summarise_jobs(*root)) {
    if (!jobs::is_job_id(job.id.str()))
      continue;  // a folder of another origin: a shell could run a command in its name
    const bool is_running = job.state && !is_final(*job.state) && *job.state != core::JobState::lost;
    names.push_back({job.id.str(), std::string(job.state ? core::name(*job.state) : "unreadable"), is_running});
  }
  return names;
}

std::vector<std::string> task_names(const std::string& job) {
  constexpr int kMostOfARole = 200;
  std::vector<std::string> names;
  const auto root = jobs::jobs_root();
  if (!root) return names;
  const auto folder = jobs::find_job_folder(*root, job);
  if (!folder) return names;
  const auto file = jobs::read_job_file(*folder);
  if (!file) return names;
  for (const auto& role : file->spec.roles) {
    for (int i = 0; i < std::min(role.count, kMostOfARole); ++i) names.push_back(fmt::format("{}:{}", role.name, i));
  }
  return names;
}

std::string which_job(std::string_view command) {
  constexpr std::size_t kShown = 5;
  std::vector<std::string> running;
  for (const auto& job : job_names()) {
    if (job.is_running) running.push_back(job.id);
  }
  const auto more = running.size() > kShown ? fmt::format(" and {} more", running.size() - kShown) : std::string();
  if (running.size() > kShown) running.resize(kShown);
  return fmt::format("which job? `ydl {} ID` ({}{})", command,
                     running.empty() ? "no job is running on this machine" : "running: " + core::join(running, ", "),
                     more);
}

}  // namespace ydl::cli
