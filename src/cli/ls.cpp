#include "cli/commands.hpp"
#include "cli/common.hpp"
#include "core/strings.hpp"
#include "master/job_summary.hpp"
#include "ui/relative_time.hpp"
#include "ui/table.hpp"

#include <algorithm>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace ydl::cli {
namespace {

std::string json_line(const master::JobSummary& job) {
  boost::json::object object{{"v", 1},
                             {"type", "job"},
                             {"id", job.id.str()},
                             {"name", job.name},
                             {"framework", job.framework},
                             {"state", job.state},
                             {"tasks", job.tasks},
                             {"reason", job.reason}};
  if (job.created) object["submitted"] = core::format_utc(*job.created);
  if (job.finished) object["finished"] = core::format_utc(*job.finished);
  return boost::json::serialize(object) + "\n";
}

ui::Tone tone_of(const std::string& state) {
  if (state == "failed" || state == "lost" || state == "unreadable") return ui::Tone::red;
  if (state == "succeeded") return ui::Tone::green;
  return ui::Tone::plain;
}

}  // namespace

int execute(const List& command) {
  const auto jobs = master::jobs_root();
  if (!jobs) return complain(jobs.error());
  auto summaries = master::summarise_jobs(*jobs);
  if (summaries.size() > static_cast<std::size_t>(command.limit))
    summaries.resize(static_cast<std::size_t>(command.limit));
  if (wants_json(command.common)) {
    for (const auto& job : summaries) print(json_line(job));
    return 0;
  }
  if (summaries.empty()) {
    print(fmt::format("no jobs in {}\n", jobs->string()));
    return 0;
  }
  const auto now = core::wall_now();
  ui::Table table({{"ID"},
                   {"STATE"},
                   {"FRAMEWORK"},
                   {"TASKS", ui::Align::right},
                   {"SUBMITTED"},
                   {"TOOK"},
                   {"REASON", ui::Align::left, ui::Fit::shrink}});
  for (const auto& job : summaries) {
    const auto end = job.finished ? *job.finished : now;
    const bool known_end = job.finished || job.state == "placing" || job.state == "starting" ||
                           job.state == "running" || job.state == "finishing" || job.state == "stopping" ||
                           job.state == "restarting";
    table.row({job.id.str(), job.state, job.framework, job.tasks > 0 ? std::to_string(job.tasks) : "",
               job.created ? ui::relative_time(*job.created, now) : "",
               job.created && known_end ? core::format_duration(end - *job.created) : "",
               job.state == "succeeded" ? "" : job.reason},
              tone_of(job.state));
  }
  print(table.render(table_width(), output_style()));
  return 0;
}

}  // namespace ydl::cli
