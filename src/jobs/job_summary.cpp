#include "jobs/job_summary.hpp"

#include "core/described_json.hpp"
#include "core/files.hpp"
#include "core/strings.hpp"
#include "jobs/job_folder.hpp"

#include <algorithm>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace ydl::jobs {
namespace {

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
  const auto cluster = core::json_member<core::ClusterKind>(*object, "cluster");
  if (!cluster) return core::fail(cluster.error().within(folder.job_file().string()));
  job.cluster = *cluster;
  if (!is_final(state->state) && !master_lives(folder) && job.cluster == core::ClusterKind::local) {
    job.state = core::JobState::lost;
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
      unreadable.reason = job.error().message;
      summaries.push_back(std::move(unreadable));
    }
  }
  std::ranges::sort(summaries, std::greater{}, [](const JobSummary& job) { return std::pair(job.created, job.id); });
  return summaries;
}

}  // namespace ydl::jobs
