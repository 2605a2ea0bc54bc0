#include "jobs/job_summary.hpp"

#include "core/files.hpp"
#include "core/json.hpp"
#include "core/strings.hpp"
#include "job/types.hpp"
#include "jobs/job_folder.hpp"

#include <algorithm>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace ydl::jobs {
namespace {

bool is_final(std::string_view state) {
  return state == "succeeded" || state == "failed" || state == "stopped";
}

core::Result<JobSummary> summarise(const JobFolder& folder) {
  JobSummary job;
  job.id = folder.id();
  const auto text = core::read_file(folder.job_file());
  if (!text) return core::fail(text.error());
  const auto object = core::parse_json_object(*text);
  if (!object) return core::fail(object.error().within(folder.job_file().string()));
  job.created = core::parse_utc(core::json_string_or(*object, "created", ""));
  const auto spec = core::json_object(*object, "spec");
  if (!spec) return core::fail(spec.error().within(folder.job_file().string()));
  job.name = core::json_string_or(**spec, "name", "");
  job.framework = core::json_string_or(**spec, "framework", "");
  const auto state = read_state_file(folder);
  if (!state) return core::fail(state.error());
  job.state = state->state;
  job.reason = state->reason;
  job.tasks = state->tasks;
  job.finished = state->finished;
  job.cluster = core::json_string_or(*object, "cluster", "local");
  if (!is_final(job.state) && !master_lives(folder) && job.cluster == "local") {
    job.state = "lost";
    job.reason = "its master ended before the job did";
  }
  return job;
}

}  // namespace

std::vector<JobSummary> summarise_jobs(const std::filesystem::path& jobs) {
  std::vector<JobSummary> summaries;
  for (const auto& folder : list_job_folders(jobs)) {
    auto job = summarise(folder);
    if (job) {
      summaries.push_back(*std::move(job));
    } else {
      JobSummary unreadable;
      unreadable.id = folder.id();
      unreadable.state = "unreadable";
      unreadable.reason = job.error().message;
      summaries.push_back(std::move(unreadable));
    }
  }
  std::ranges::sort(summaries, std::greater{}, [](const JobSummary& job) { return std::pair(job.created, job.id); });
  return summaries;
}

}  // namespace ydl::jobs
