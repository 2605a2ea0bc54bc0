// `ydl rm`: deletes ended jobs.
#include "cli/args/commands.hpp"
#include "cli/commands/common.hpp"
#include "cli/commands/foreign.hpp"
#include "cli/commands/job_list.hpp"
#include "client/job_removal.hpp"
#include "core/files.hpp"
#include "core/strings.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iostream>
#include <string>
#include <unistd.h>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace ydl::cli {
namespace {

using client::RemovableJob;
using core::fail;

constexpr std::size_t kMostListed = 20;  // in a question

std::string describe(const RemovableJob& job) {
  auto text = fmt::format("{}, {}", core::plural(job.files, "file"), core::format_bytes(job.bytes));
  if (!job.kept_results.empty())
    text += fmt::format(", without the results in {}", core::printable(job.kept_results));
  else
    text += job.has_results ? ", results included" : ", no results";
  return text;
}

std::string total(const std::vector<RemovableJob>& jobs) {
  std::uint64_t bytes = 0;
  for (const auto& job : jobs) bytes += job.bytes;
  return fmt::format("{}, {}", core::plural(std::ssize(jobs), "job"), core::format_bytes(bytes));
}

std::string json_line(std::string_view type, const RemovableJob& job) {
  boost::json::object object{{"v", 1},
                             {"type", type},
                             {"job", job.folder.id().str()},
                             {"cluster", core::name(job.cluster)},
                             {"files", job.files},
                             {"bytes", job.bytes},
                             {"kept_results", nullptr}};
  if (!job.kept_results.empty()) object["kept_results"] = core::printable(job.kept_results);
  return boost::json::serialize(object) + "\n";
}

// Errors: not_found; refused, for the job of another user.
core::Result<jobs::JobFolder> folder_to_delete(const std::string& name) {
  net::asio::io_context context(1);
  const auto foreign = find_foreign(context, name);
  if (!foreign) return fail(foreign.error());
  if (!*foreign) return folder_of(name);
  (*foreign)->cluster.close();
  const auto& job = (*foreign)->job;
  return fail(core::Errc::refused, fmt::format("job {} belongs to {}: only its owner can delete it", job.id,
                                               core::printable(job.report.user)));
}

struct Found {
  std::vector<RemovableJob> jobs;
  int code = 0;
};

void add(Found& found, const core::Result<jobs::JobFolder>& folder, const std::vector<client::RestoreUse>& uses) {
  const auto is_same = [&](const RemovableJob& job) { return folder && job.folder.root() == folder->root(); };
  if (std::ranges::any_of(found.jobs, is_same)) return;
  auto job = folder ? client::check_removable(*folder, uses) : fail(folder.error());
  if (job)
    found.jobs.push_back(*std::move(job));
  else
    found.code = std::max(found.code, complain(job.error()));
}

// Jobs that are named one by one: all of them can be deleted, or none is.
Found find_named(const Remove& command, const std::vector<client::RestoreUse>& uses) {
  Found found;
  for (const auto& name : command.jobs) add(found, folder_to_delete(name), uses);
  if (found.code != 0 && command.jobs.size() > 1) note("no job was deleted");
  if (found.code != 0) found.jobs.clear();
  return found;
}

// Of jobs that are selected those are left out that have not ended.
Found find_selected(const Remove& command, const std::filesystem::path& root,
                    const std::vector<client::RestoreUse>& uses) {
  const auto [jobs, missing] = list_jobs(root, command.common.cluster);
  Found found;
  if (missing) found.code = complain(*missing);
  const auto now = core::wall_now();
  for (const auto& job : jobs) {
    const bool goes_on = job.state && !is_final(*job.state) && *job.state != core::JobState::lost;
    const bool is_unreadable = !job.state && command.selection.states.empty();
    if (goes_on || is_unreadable || !command.selection.selects(job, now)) continue;
    const jobs::JobFolder here(root / job.id.str());
    std::error_code error;
    // folder_of() looks at all jobs, also for those that were submitted from another machine.
    add(found, std::filesystem::exists(here.root(), error) ? here : folder_of(job.id.str()), uses);
  }
  return found;
}

void show_for_question(const std::vector<RemovableJob>& jobs) {
  std::string text;
  for (std::size_t i = 0; i < std::min(jobs.size(), kMostListed); ++i)
    text += fmt::format("{}: {}\n", jobs[i].folder.id().str(), describe(jobs[i]));
  if (jobs.size() > kMostListed) text += fmt::format("… and {} more\n", jobs.size() - kMostListed);
  text += jobs.size() == 1 ? "Delete this job? [y/N] " : fmt::format("Delete these jobs ({})? [y/N] ", total(jobs));
  (void)core::write_all(STDERR_FILENO, text);
}

bool is_confirmed(const std::vector<RemovableJob>& jobs) {
  show_for_question(jobs);
  std::string answer;
  if (!std::getline(std::cin, answer)) (void)core::write_all(STDERR_FILENO, "\n");
  std::ranges::transform(answer, answer.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return answer == "y" || answer == "yes";
}

bool can_ask(const CommonOptions& options) {
  return !wants_json(options) && ::isatty(STDIN_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1;
}

void tell(const Remove& command, const RemovableJob& job) {
  if (command.common.output == ui::Mode::quiet) return;
  if (wants_json(command.common)) return print(json_line(command.dry_run ? "disposable_job" : "deleted_job", job));
  print(fmt::format("{} {}: {}\n", job.folder.id().str(), command.dry_run ? "would be deleted" : "deleted",
                    describe(job)));
}

}  // namespace

namespace {

// While the question was open, another job may have begun to continue from one of these.
core::Result<> check_again(const std::vector<RemovableJob>& jobs, const std::filesystem::path& root) {
  const auto uses = client::restores_in_use(root, client::RunCheck::ask_cluster);
  for (const auto& job : jobs) {
    if (const auto still = client::check_removable(job.folder, uses); !still) return core::fail(still.error());
  }
  return {};
}

}  // namespace

int execute(const Remove& command) {
  const bool asks = !command.yes && !command.dry_run;
  if (asks && !can_ask(command.common)) {
    return complain(
        {core::Errc::usage,
         "`ydl rm` asks before it deletes jobs, and there is no terminal to ask on: add --yes, or --dry-run "
         "to see what would be deleted"});
  }
  const auto root = jobs::jobs_root();
  if (!root) return complain(root.error());
  const auto uses = client::restores_in_use(*root, client::RunCheck::ask_cluster);
  auto found = command.selection.is_set() ? find_selected(command, *root, uses) : find_named(command, uses);
  if (found.jobs.empty()) {
    if (found.code == 0) note("no ended job fulfils these conditions");
    return found.code;
  }
  if (asks && !is_confirmed(found.jobs)) {
    note("no job was deleted");
    return 1;
  }
  if (const auto still = asks ? check_again(found.jobs, *root) : core::Result<>(); !still) {
    note("no job was deleted");
    return complain(still.error());
  }
  for (const auto& job : found.jobs) {
    const auto removed = command.dry_run ? core::Result<>() : client::remove_job(job);
    if (removed)
      tell(command, job);
    else
      found.code = std::max(found.code, complain(removed.error().within(fmt::format("job {}", job.folder.id().str()))));
  }
  return found.code;
}

}  // namespace ydl::cli
