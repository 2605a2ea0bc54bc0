#include "cli/args/commands.hpp"
#include "cli/commands/common.hpp"
#include "cli/commands/job_list.hpp"
#include "client/settings.hpp"
#include "core/strings.hpp"
#include "jobs/job_summary.hpp"
#include "ui/relative_time.hpp"
#include "ui/table.hpp"

#include <algorithm>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace ydl::cli {
namespace {

std::string where_word(const jobs::JobSummary& job) {
  return job.cluster ? std::string(core::name(*job.cluster)) : "";
}

std::string json_line(const jobs::JobSummary& job) {
  boost::json::object object{{"v", 1},
                             {"type", "summary"},
                             {"job", job.id.str()},
                             {"name", core::printable(job.name)},
                             {"framework", job.framework},
                             {"cluster", where_word(job)},
                             {"state", state_word(job)},
                             {"task_count", job.tasks},
                             {"reason", core::printable(job.reason)}};
  object["submitted"] = job.created ? boost::json::value(core::format_utc(*job.created)) : nullptr;
  object["finished"] = job.finished ? boost::json::value(core::format_utc(*job.finished)) : nullptr;
  return boost::json::serialize(object) + "\n";
}

ui::Tone tone_of(const std::optional<core::JobState>& state) {
  if (!state || *state == core::JobState::failed || *state == core::JobState::lost) return ui::Tone::red;
  if (*state == core::JobState::succeeded) return ui::Tone::green;
  return ui::Tone::plain;
}

constexpr auto kOld = std::chrono::days(30);

std::int64_t count_old(const std::vector<jobs::JobSummary>& jobs, core::WallTime now) {
  return std::ranges::count_if(jobs, [&](const jobs::JobSummary& job) {
    const auto ended = ended_at(job);
    return ended && *ended <= now - kOld;
  });
}

// Without the setting keep_jobs nothing deletes old jobs. Their sizes are not counted: that takes much longer than the
// list.
void note_old_jobs(std::int64_t count) {
  if (count == 0) return;
  const auto settings = client::load_settings();
  if (settings && settings->keep_jobs) return;
  note(fmt::format("{} ended more than {} days ago: `ydl rm --older-than {}d` deletes {}", core::plural(count, "job"),
                   kOld.count(), kOld.count(), count == 1 ? "it" : "them"));
}

}  // namespace

int execute(const List& command) {
  const auto jobs = jobs::jobs_root();
  if (!jobs) return complain(jobs.error());
  auto [summaries, missing] = list_jobs(*jobs, command.common.cluster);
  const int code = missing ? complain(*missing) : 0;  // a list that lacks the cluster's jobs is not a success
  const auto now = core::wall_now();
  const auto old = count_old(summaries, now);
  std::erase_if(summaries, [&](const jobs::JobSummary& job) { return !command.selection.selects(job, now); });
  if (summaries.size() > static_cast<std::size_t>(command.limit))
    summaries.resize(static_cast<std::size_t>(command.limit));
  if (wants_json(command.common)) {
    for (const auto& job : summaries) print(json_line(job));
    return code;
  }
  if (summaries.empty()) {
    print(command.selection.is_set() ? "no job fulfils these conditions\n"
                                     : fmt::format("no jobs in {}\n", jobs->string()));
    return code;
  }
  ui::Table table({{"ID"},
                   {"STATE"},
                   {"WHERE"},
                   {"TASKS", ui::Align::right},
                   {"SUBMITTED"},
                   {"TOOK"},
                   {"REASON", ui::Align::left, ui::Fit::shrink}});
  for (const auto& job : summaries) {
    const auto end = job.finished ? *job.finished : now;
    const bool goes_on = job.state && !is_final(*job.state) && *job.state != core::JobState::lost;
    table.row({job.id.str(), std::string(state_word(job)), where_word(job),
               job.tasks > 0 ? std::to_string(job.tasks) : "", job.created ? ui::relative_time(*job.created, now) : "",
               job.created && (job.finished || goes_on) ? core::format_duration(end - *job.created) : "",
               job.state == core::JobState::succeeded ? "" : job.reason},
              tone_of(job.state));
  }
  print(table.render(table_width(), output_style()));
  if (command.common.output != ui::Mode::quiet) note_old_jobs(old);
  return code;
}

}  // namespace ydl::cli
