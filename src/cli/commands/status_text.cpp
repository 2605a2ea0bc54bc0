#include "cli/commands/status_text.hpp"

#include "cli/commands/common.hpp"
#include "core/strings.hpp"
#include "ui/relative_time.hpp"
#include "ui/screen.hpp"
#include "ui/table.hpp"
#include "ui/text.hpp"
#include "ui/words.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ydl::cli {
namespace {

std::string duration_of(const ui::TaskView& task, core::WallTime now) {
  if (task.ran_for) return core::format_duration(*task.ran_for);
  if (task.running_since) return core::format_duration(now - *task.running_since);
  return "";
}

// "until 14:10 ", with the day where that is not the next such time. Once the job has ended nothing ends the entry.
std::string until_text(const std::optional<core::WallTime>& until, const ui::JobView& job, core::WallTime now) {
  if (!until || job.finished) return "";
  std::string date;
  if (*until - now >= std::chrono::hours(24))
    date =
        core::format_utc(*until + ui::local_utc_offset(*until)).substr(0, std::string_view("2026-11-15").size()) + " ";
  return fmt::format("until {}{} ", date, ui::clock_time(*until, ui::local_utc_offset).substr(0, 5));
}

// With a column for saves where there are any.
ui::Table task_table(const ui::JobView& job, core::WallTime now) {
  const bool has_saves =
      std::ranges::any_of(job.tasks, [](const ui::TaskView& task) { return task.saved.has_value(); });
  std::vector<ui::Column> columns{
      {"TASK"}, {"STATE"}, {"ATTEMPT", ui::Align::right}, {"HOST"}, {"RAN", ui::Align::right}};
  if (has_saves) columns.push_back({"SAVED", ui::Align::right});
  columns.push_back({"LAST", ui::Align::left, ui::Fit::shrink});
  ui::Table table(std::move(columns));
  for (const auto& task : job.tasks) {
    std::vector<std::string> row{task.id.str(), std::string(task.state.name()), std::to_string(task.attempt), task.node,
                                 duration_of(task, now)};
    if (has_saves) row.push_back(task.saved ? ui::relative_time(*task.saved, now) : "");
    row.push_back(task.reason.empty() ? task.last_line : task.reason);
    table.row(std::move(row));
  }
  return table;
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
  text += fmt::format("logs     {}\nresults  {}\n", ui::clean(job.logs_path), ui::clean(job.results_path));
  for (const auto& host : job.avoided) {
    text += fmt::format("avoided  {} {}({})\n", ui::clean(host.node), until_text(host.until, job, now),
                        ui::clean(host.reason));
  }
  if (!job.finished) {
    for (const auto& role : job.elastic) text += fmt::format("tasks    {}\n", ui::elastic_text(role));
  }
  if (!job.notice.empty()) text += fmt::format("notice   {}\n", ui::clean(job.notice));
  text += "\n";
  return text + task_table(job, now).render(table_width(), output_style());
}

}  // namespace ydl::cli
