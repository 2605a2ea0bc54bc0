// `ydl follow`: a job that runs without this command, shown as `ydl run` shows its own.
#include "client/follow.hpp"

#include "cli/args/commands.hpp"
#include "cli/commands/common.hpp"
#include "client/yarn/remote_job.hpp"
#include "jobs/job_folder.hpp"

#include <algorithm>

namespace ydl::cli {
namespace {

using core::Result;

bool may_run(const jobs::JobFolder& folder) {
  const auto state = jobs::read_state_file(folder);
  if (!state || is_final(state->state)) return false;
  const auto runs = client::is_running(folder);
  return runs && *runs;
}

Result<jobs::JobFolder> newest_running_job() {
  const auto jobs = jobs::jobs_root();
  if (!jobs) return core::fail(jobs.error());
  auto folders = jobs::list_job_folders(*jobs);
  const auto age = [](const jobs::JobFolder& folder) {
    std::error_code ignored;
    return std::filesystem::last_write_time(folder.job_file(), ignored);
  };
  std::ranges::sort(folders, std::ranges::greater(), age);
  const auto found = std::ranges::find_if(folders, may_run);
  if (found != folders.end()) return *found;
  return core::fail(core::Errc::not_found, "no job is running: name one that has ended, or see `ydl ls`");
}

}  // namespace

int execute(const Follow& command) {
  client::HeldSignals signals;
  const auto folder = command.job.empty() ? newest_running_job() : folder_of(command.job);
  if (!folder) return complain(folder.error());
  const auto code = client::follow_job(*folder, {.mode = command.common.output,
                                                 .part = client::Part::watcher,
                                                 .detail = command.detail,
                                                 .show_logs = command.show_logs,
                                                 .lifeline = {},
                                                 .signals = std::move(signals)});
  return code ? *code : complain(code.error());
}

}  // namespace ydl::cli
