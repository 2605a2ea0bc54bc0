#include "jobs/job_summary.hpp"

#include "core/described_json.hpp"
#include "core/files.hpp"
#include "core/strings.hpp"
#include "jobs/job_folder.hpp"
#include "jobs/master_trace.hpp"

#include <algorithm>
#include <sys/stat.h>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace ydl::jobs {
namespace {

// The members of job.json that a line shows.
struct SpecHead {
  std::optional<std::string> name;
  std::optional<std::string> framework;
};
BOOST_DESCRIBE_STRUCT(SpecHead, (), (name, framework))
struct JobHead {
  core::WallTime created;
  core::ClusterKind cluster = core::ClusterKind::local;
  SpecHead spec;
};
BOOST_DESCRIBE_STRUCT(JobHead, (), (created, cluster, spec))

std::optional<core::WallTime> written_at(const std::filesystem::path& file) {
  struct stat found{};
  if (::stat(file.c_str(), &found) != 0) return std::nullopt;
  return core::WallTime(core::Seconds(found.st_mtim.tv_sec));
}

core::Result<JobSummary> summarise(const JobFolder& folder) {
  const auto text = core::read_file(folder.job_file());
  if (!text) return core::fail(text.error());
  const auto head = core::decode_record<JobHead>(kFolderVersion, *text);
  if (!head) return core::fail(head.error().within(folder.job_file().string()));
  const auto state = read_state_file(folder);
  if (!state) return core::fail(state.error());
  JobSummary job{.id = folder.id(),
                 .name = head->spec.name.value_or(""),
                 .framework = head->spec.framework.value_or(""),
                 .cluster = head->cluster,
                 .state = state->state,
                 .reason = state->reason,
                 .tasks = state->tasks,
                 .created = head->created,
                 .finished = state->finished};
  // On YARN the master usually runs in a container, and then no process has locked the folder.
  const bool has_master =
      job.cluster == core::ClusterKind::yarn ? trace_of_master(folder) != MasterTrace::gone : master_lives(folder);
  if (!is_final(state->state) && !has_master) {
    job.state = core::JobState::lost;
    job.last_seen = written_at(folder.state_file());
    job.reason = "its master ended before the job did";
    remove_unfinished_files(folder);  // the master that was writing them has ended
  }
  return job;
}

}  // namespace

std::optional<core::WallTime> ended_at(const JobSummary& job) {
  return job.state == core::JobState::lost ? job.last_seen : job.finished;
}

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
