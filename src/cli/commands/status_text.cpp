#include "cli/commands/status_text.hpp"

#include "cli/commands/common.hpp"
#include "core/strings.hpp"
#include "ui/relative_time.hpp"
#include "ui/table.hpp"
#include "ui/text.hpp"

#include <fmt/format.h>

namespace ydl::cli {
namespace {

std::string duration_of(const ui::TaskView& task, core::WallTime now) {
  if (task.ran_for) return core::format_duration(*task.ran_for);
  if (task.running_since) return core::format_duration(now - *task.running_since);
  return "";
}

}  // namespace

std::string status_text(const ui::JobView& job) {
  const auto now = core::wall_now();
  // The master may be somebody else's, and a terminal must not take what it sends for commands.
  std::string text = fmt::format("{}  {}  {}on {}\n", ui::clean(job.id), ui::clean(job.state.name()),
                                 job.framework == "none" ? "" : ui::clean(job.framework) + " ", ui::clean(job.where));
  text +=
      fmt::format("submitted {}{}\n", ui::relative_time(job.submitted, now),
                  job.finished ? fmt::format(", took {}", core::format_duration(*job.finished - job.submitted)) : "");
  if (!job.reason.empty()) text += fmt::format("{}\n", ui::clean(job.reason));
  text += fmt::format("logs     {}\nresults  {}\n\n", ui::clean(job.logs_path), ui::clean(job.results_path));
  ui::Table table({{"TASK"},
                   {"STATE"},
                   {"ATTEMPT", ui::Align::right},
                   {"HOST"},
                   {"RAN", ui::Align::right},
                   {"LAST", ui::Align::left, ui::Fit::shrink}});
  for (const auto& task : job.tasks) {
    table.row({task.id.str(), std::string(task.state.name()), std::to_string(task.attempt), task.node,
               duration_of(task, now), task.reason.empty() ? task.last_line : task.reason});
  }
  return text + table.render(table_width(), output_style());
}

}  // namespace ydl::cli
