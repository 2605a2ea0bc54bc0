#include "cli/commands/status_table.hpp"

#include "core/strings.hpp"
#include "files/log_lines.hpp"
#include "files/progress_line.hpp"
#include "ui/progress.hpp"
#include "ui/relative_time.hpp"
#include "ui/table.hpp"
#include "ui/text.hpp"
#include "ui/words.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace ydl::cli {
namespace {

constexpr core::Seconds kSilent{30};  // a running task that has written nothing for longer is said to be silent
constexpr int kBarCells = 10;
constexpr int kMinColumnsForBar = 90;
constexpr int kMinColumnsForWords = 60;
constexpr int kMinText = 14;  // of a column that may shrink: with less, others give way

struct Column {
  std::string_view title;
  ui::Align align = ui::Align::left;
  ui::Fit fit = ui::Fit::keep;
  int worth = 0;  // the column that is worth least is the first that a narrow screen leaves out
};

// In the order in which they are shown.
enum Cell { kTask, kState, kHost, kRan, kProgress, kMetrics, kCpu, kMemory, kSaved, kLastLine, kCells };
constexpr std::array<Column, kCells> kColumns{{{.title = "TASK", .worth = 10},
                                               {.title = "STATE", .worth = 9},
                                               {.title = "HOST", .worth = 3},
                                               {.title = "RAN", .align = ui::Align::right, .worth = 5},
                                               {.title = "PROGRESS", .fit = ui::Fit::shrink, .worth = 8},
                                               {.title = "METRICS", .fit = ui::Fit::shrink, .worth = 6},
                                               {.title = "CPU", .align = ui::Align::right, .worth = 2},
                                               {.title = "MEMORY", .align = ui::Align::right, .worth = 4},
                                               {.title = "SAVED", .align = ui::Align::right, .worth = 1},
                                               {.title = "LAST LINE", .fit = ui::Fit::shrink, .worth = 7}}};
using Row = std::array<std::string, kCells>;

std::string state_text(const ui::TaskView& task, int columns) {
  const bool is_narrow = columns > 0 && columns < kMinColumnsForWords;
  if (task.attempt > 1 && is_narrow) return fmt::format("{} #{}", task.state.name(), task.attempt);
  return task.attempt > 1 ? fmt::format("{}, attempt {}", task.state.name(), task.attempt)
                          : std::string(task.state.name());
}

std::string ran_text(const ui::TaskView& task, core::WallTime now) {
  if (task.ran_for) return ui::settled_time(*task.ran_for);
  return task.running_since ? ui::running_time(now - *task.running_since) : "";
}

std::string progress_text(const ui::TaskView& task, const StatusScreen& screen) {
  const auto percent = ui::progress_percent(task);
  if (!percent || task.state != core::TaskState::running) return {};
  const auto words = ui::progress_words(*percent, task.progress_text);
  const bool has_room = screen.columns == 0 || screen.columns >= kMinColumnsForBar;
  return has_room ? fmt::format("{} {}", ui::progress_bar(*percent, kBarCells, screen.style.charset), words) : words;
}

bool is_silent(const ui::TaskView& task) {
  return task.state == core::TaskState::running && task.quiet.value_or(core::Millis(0)) > kSilent;
}

// What a person should look at has a colour.
ui::Tone tone_of(const ui::TaskView& task) {
  if (task.state == core::TaskState::failed || task.state == core::TaskState::lost) return ui::Tone::red;
  return is_silent(task) ? ui::Tone::yellow : ui::Tone::plain;
}

// Whether the last line is the bar that the column of progress shows: the text of a Keras bar follows that of its
// epoch.
bool repeats_progress(const ui::TaskView& task) {
  if (task.state != core::TaskState::running || !ui::progress_percent(task)) return false;
  auto bar = files::parse_tqdm_bar(task.last_line);
  if (!bar) bar = files::parse_keras_bar(task.last_line);
  return bar && task.progress_text.ends_with(bar->text);
}

std::string last_line_text(const ui::TaskView& task) {
  if (!task.reason.empty()) return task.reason;
  const bool is_shown = !files::is_for_ydl(task.last_line) && !repeats_progress(task);
  std::string line(is_shown ? core::trim(task.last_line) : std::string_view());
  if (!is_silent(task)) return line;
  const auto silent = fmt::format("silent for {}", ui::running_time(*task.quiet));
  return line.empty() ? silent : fmt::format("{}, last line: {}", silent, line);
}

Row row_of(const ui::TaskView& task, const StatusScreen& screen) {
  Row row;
  row[kTask] = task.id.str();
  row[kState] = state_text(task, screen.columns);
  row[kHost] = task.node;
  row[kRan] = ran_text(task, screen.now);
  row[kProgress] = progress_text(task, screen);
  row[kMetrics] = ui::metrics_words(task.metrics);
  if (task.cpu_percent) row[kCpu] = fmt::format("{}%", *task.cpu_percent);
  if (task.memory_bytes) row[kMemory] = memory_text(*task.memory_bytes, task.memory_limit);
  if (task.saved) row[kSaved] = ui::relative_time(*task.saved, screen.now);
  row[kLastLine] = last_line_text(task);
  return row;
}

// The columns that have a value and fit the screen.
std::vector<std::size_t> shown_columns(const std::vector<Row>& rows, int columns) {
  std::array<int, kCells> widths{};
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < kCells; ++i) widths[i] = std::max(widths[i], ui::display_width(ui::clean(row[i])));
  }
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < kCells; ++i) {
    if (widths[i] == 0 && i > kState) continue;
    widths[i] = std::max(widths[i], ui::display_width(kColumns[i].title));
    if (kColumns[i].fit == ui::Fit::shrink) widths[i] = std::min(widths[i], kMinText);
    shown.push_back(i);
  }
  const auto needed = [&] {
    int sum = 0;
    for (const auto i : shown) sum += widths[i] + 2;
    return sum - 2;
  };
  while (columns > 0 && shown.size() > 2 && needed() > columns)
    shown.erase(std::ranges::min_element(shown, {}, [](std::size_t i) { return kColumns[i].worth; }));
  return shown;
}

// The rows of a table, each with its last line below it where it has one. The first row is the table's head.
std::string with_last_lines(std::string_view table, const std::vector<std::string>& last_lines,
                            const StatusScreen& screen) {
  std::string text;
  std::size_t row = 0;
  for (const auto line : core::split(core::trim(table), '\n')) {
    text.append(line).append("\n");
    if (row > 0 && row <= last_lines.size() && !last_lines[row - 1].empty())
      text.append(ui::Line("  ").add(last_lines[row - 1], ui::Tone::dim).cut_to(screen.columns, screen.style)) += '\n';
    ++row;
  }
  return text;
}

}  // namespace

std::string memory_text(std::uint64_t bytes, const std::optional<std::uint64_t>& limit) {
  if (!limit) return core::format_bytes(bytes);
  static constexpr std::array<std::string_view, 5> kUnits{"B", "KiB", "MiB", "GiB", "TiB"};
  auto of = static_cast<double>(*limit);
  auto used = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; of >= 1024 && unit + 1 < kUnits.size(); ++unit) {
    of /= 1024;
    used /= 1024;
  }
  const int digits = of < 100 && unit > 0 ? 1 : 0;
  // A small amount would be 0.0 in the larger unit.
  if (used < 0.1 && bytes > 0)
    return fmt::format("{} of {:.{}f} {}", core::format_bytes(bytes), of, digits, kUnits[unit]);
  return fmt::format("{:.{}f} of {:.{}f} {}", used, digits, of, digits, kUnits[unit]);
}

std::string task_table(const ui::JobView& job, const StatusScreen& screen) {
  std::vector<Row> rows;
  rows.reserve(job.tasks.size());
  for (const auto& task : job.tasks) rows.push_back(row_of(task, screen));
  // A narrow screen shows what a task wrote last, or why it failed, in a row of its own.
  const bool is_narrow = screen.columns > 0 && screen.columns < kMinColumnsForWords;
  std::vector<std::string> last_lines(rows.size());
  for (std::size_t i = 0; is_narrow && i < rows.size(); ++i) last_lines[i] = std::exchange(rows[i][kLastLine], {});
  const auto shown = shown_columns(rows, screen.columns);
  std::vector<ui::Column> columns;
  for (const auto i : shown) columns.push_back({std::string(kColumns[i].title), kColumns[i].align, kColumns[i].fit});
  ui::Table table(std::move(columns));
  for (std::size_t row = 0; row < rows.size(); ++row) {
    std::vector<std::string> cells;
    for (const auto i : shown) cells.push_back(std::move(rows[row][i]));
    table.row(std::move(cells), tone_of(job.tasks[row]));
  }
  const auto text = table.render(screen.columns, screen.style);
  return is_narrow ? with_last_lines(text, last_lines, screen) : text;
}

}  // namespace ydl::cli
