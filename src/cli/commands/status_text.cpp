#include "cli/commands/status_text.hpp"

#include "cli/commands/common.hpp"
#include "cli/commands/status_table.hpp"
#include "core/strings.hpp"
#include "ui/progress.hpp"
#include "ui/relative_time.hpp"
#include "ui/screen.hpp"
#include "ui/text.hpp"
#include "ui/words.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace ydl::cli {
namespace {

// "until 14:10 ", with the day where that is not the next such time. Once the job has ended nothing ends the entry.
std::string until_text(const std::optional<core::WallTime>& until, const ui::JobView& job, core::WallTime now) {
  if (!until || job.finished) return "";
  std::string date;
  if (*until - now >= std::chrono::hours(24))
    date =
        core::format_utc(*until + ui::local_utc_offset(*until)).substr(0, std::string_view("2026-11-15").size()) + " ";
  return fmt::format("until {}{} ", date, ui::clock_time(*until, ui::local_utc_offset).substr(0, 5));
}

// "running 4 min, about 6 min left", "succeeded in 41 s", "failed after 41 s".
std::string progress_of(const ui::JobView& job, core::WallTime now) {
  const auto state = job.state.name();
  if (job.finished) {
    const auto took = ui::settled_time(*job.finished - job.submitted);
    return fmt::format("{} {} {}", state, job.state == core::JobState::succeeded ? "in" : "after", took);
  }
  if (is_final(job.state) || job.state == core::JobState::lost) return std::string(state);
  auto text = fmt::format("{} {}", state, ui::running_time(now - job.submitted));
  if (job.left && job.state == core::JobState::running)
    return fmt::format("{}, {}", text, ui::time_left_words(*job.left));
  if (const auto percent = ui::progress_percent(job.progress)) text += fmt::format(", {}%", *percent);
  return text;
}

// "MXNet on YARN, queue ml".
std::string where_text(const ui::JobView& job) {
  auto text = ui::framework_title(job.framework);
  if (!job.where.empty()) text += fmt::format("{}on {}", text.empty() ? "" : " ", ui::clean(job.where));
  if (!job.queue.empty()) text += fmt::format(", queue {}", ui::clean(job.queue));
  return text;
}

std::string with_cluster(ui::Line line, const ui::JobView& job, const StatusScreen& screen) {
  const auto where = where_text(job);
  if (where.empty()) return line.cut_to(screen.columns > 0 ? screen.columns : line.width(), screen.style) + "\n";
  const int gap = screen.columns > 0 ? screen.columns - line.width() - ui::display_width(where) : 2;
  if (gap < 2) {
    const ui::Line second(where, ui::Tone::dim);
    return line.cut_to(screen.columns, screen.style) + "\n" + second.cut_to(screen.columns, screen.style) + "\n";
  }
  line.add(std::string(static_cast<std::size_t>(gap), ' ')).add(where, ui::Tone::dim);
  return line.whole(screen.style) + "\n";
}

// The cluster is shown at the end of the row, or in a row of its own where there is no room; the state too.
std::string title(const ui::JobView& job, const StatusScreen& screen) {
  ui::Line line(ui::job_title(job), ui::Tone::bold);
  const ui::Line state(progress_of(job, screen.now), ui::state_tone(job.state));
  std::string first;
  if (screen.columns > 0 && line.width() + 2 + state.width() > screen.columns) {
    first = line.cut_to(screen.columns, screen.style) + "\n";
    line = state;
  } else {
    line.add("  ").add(progress_of(job, screen.now), ui::state_tone(job.state));
  }
  return first + with_cluster(std::move(line), job, screen);
}

class Lines {
 public:
  explicit Lines(const StatusScreen& screen) : screen_(screen) {}

  // Whole, however wide the screen is: a path can be copied, and a reason be read.
  void whole(std::string_view text) { text_.append(ui::clean(text)).append("\n"); }
  void cut(std::string_view text) {
    const ui::Line line(text);
    text_.append(screen_.columns > 0 ? line.cut_to(screen_.columns, screen_.style) : line.whole(screen_.style));
    text_.append("\n");
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  const StatusScreen& screen_;
  std::string text_;
};

// One line where all roles run the same.
void add_commands(Lines& lines, const ui::JobView& job) {
  if (job.commands.empty()) return;
  const bool is_same = std::ranges::all_of(
      job.commands, [&](const ui::CommandView& command) { return command.words == job.commands.front().words; });
  for (const auto& command : job.commands) {
    std::vector<std::string> words;
    for (const auto& word : command.words) words.push_back(core::shell_quote(word));
    const auto text = core::join(words, " ");
    lines.cut(is_same ? text : fmt::format("{}: {}", command.role, text));
    if (is_same) break;
  }
}

}  // namespace

StatusScreen StatusScreen::of_output() {
  return {core::wall_now(), table_width(), output_style()};
}

// The master may be another user's, and a terminal must not take what it sends for commands: every text is cleaned.
std::string status_text(const ui::JobView& job, const StatusScreen& screen) {
  Lines head(screen);
  add_commands(head, job);
  if (!job.reason.empty()) head.whole(job.reason);
  if (!job.notice.empty()) head.whole("notice   " + job.notice);
  for (const auto& host : job.avoided)
    head.whole(fmt::format("avoided  {} {}({})", host.node, until_text(host.until, job, screen.now), host.reason));
  if (!job.finished) {
    for (const auto& role : job.elastic) head.whole(fmt::format("tasks    {}", ui::elastic_text(role)));
  }
  Lines foot(screen);
  foot.whole(fmt::format("submitted  {}", ui::relative_time(job.submitted, screen.now)));
  foot.whole("logs       " + job.logs_path);
  foot.whole("results    " + job.results_path);
  const auto table = job.tasks.empty() ? std::string() : "\n" + task_table(job, screen);
  return title(job, screen) + head.text() + table + "\n" + foot.text();
}

}  // namespace ydl::cli
