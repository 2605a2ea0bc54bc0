#include "ui/block.hpp"

#include "core/strings.hpp"
#include "ui/progress.hpp"
#include "ui/text.hpp"
#include "ui/words.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include <fmt/format.h>

namespace ydl::ui {
namespace {

constexpr core::Seconds kLately{10};
constexpr int kMaxIdColumns = 24;
constexpr int kMaxNodeColumns = 24;
constexpr int kMinDetailColumns = 14;  // below this the node's column gives way
constexpr int kBarCells = 10;
constexpr int kMinColumnsForBar = 17;  // the bar, a space and "100%"
constexpr int kMinNameColumns = 8;

struct StateLook {
  core::TaskState state;
  std::string_view symbol;
  std::string_view ascii;
  int rank;  // what a person wants to see first where not all fits
};
constexpr std::array<StateLook, 10> kLooks{{{core::TaskState::failed, "✗", "x", 0},
                                            {core::TaskState::lost, "?", "?", 1},
                                            {core::TaskState::running, "●", "*", 2},
                                            {core::TaskState::stopping, "◌", "-", 3},
                                            {core::TaskState::starting, "◔", "~", 4},
                                            {core::TaskState::placed, "○", "o", 5},
                                            {core::TaskState::waiting, "·", ".", 6},
                                            {core::TaskState::stopped, "■", "=", 7},
                                            {core::TaskState::succeeded, "✓", "+", 8},
                                            {core::TaskState::absent, "◦", "_", 9}}};
constexpr StateLook kUnknownLook{core::TaskState::waiting, "·", ".", 6};

const StateLook& look(const core::Named<core::TaskState>& state) {
  const auto* const found = std::ranges::find_if(kLooks, [&](const StateLook& one) { return state == one.state; });
  return found == kLooks.end() ? kUnknownLook : *found;
}

std::string state_words(const TaskView& task) {
  return task.attempt > 1 ? fmt::format("{}, attempt {}", task.state.name(), task.attempt)
                          : std::string(task.state.name());
}

std::string time_words(const TaskView& task, const Frame& frame) {
  if (task.ran_for) return settled_time(*task.ran_for);
  if (task.running_since) return running_time(frame.wall - *task.running_since);
  return {};
}

// Of a row: while the job runs, or once it has ended and what a reader knows by then is left out.
enum class Moment { live, end };

struct Columns {
  int id = 0;
  int state = 0;
  int node = 0;
  int time = 0;
  int detail = 0;
};

Columns measure(const std::vector<const TaskView*>& tasks, const Frame& frame, Moment moment) {
  Columns columns;
  for (const auto* task : tasks) {
    columns.id = std::max(columns.id, display_width(clean(task->id.str())));
    columns.state = std::max(columns.state, display_width(clean(state_words(*task))));
    columns.node = std::max(columns.node, display_width(clean(task->node)));
    columns.time = std::max(columns.time, display_width(time_words(*task, frame)));
  }
  if (moment == Moment::end) {
    const auto succeeded = [](const TaskView* task) { return task->state == core::TaskState::succeeded; };
    const auto is_same_node = [&](const TaskView* task) { return task->node == tasks.front()->node; };
    if (std::ranges::all_of(tasks, succeeded)) columns.state = 0;
    if (std::ranges::all_of(tasks, is_same_node)) columns.node = 0;
  }
  columns.id = std::min(columns.id, std::max(kMinNameColumns, std::min(kMaxIdColumns, frame.size.columns / 3)));
  columns.node = std::min(columns.node, std::max(kMinNameColumns, std::min(kMaxNodeColumns, frame.size.columns / 4)));
  const auto taken = [&] {
    const auto gap = [](int column) { return column == 0 ? 0 : column + 2; };
    return 2 + gap(columns.id) + gap(columns.state) + gap(columns.node) + gap(columns.time);
  };
  if (frame.size.columns - taken() < kMinDetailColumns) columns.node = 0;
  columns.detail = std::max(0, frame.size.columns - taken());
  return columns;
}

struct Cell {
  std::string text;
  Tone tone = Tone::plain;
  int columns = 0;  // 0: as wide as its text
};

// The last line that a task wrote; instead of a line for ydl the text of the progress, or else the metrics.
std::string last_words(const TaskView& task) {
  if (!task.last_line.starts_with("::")) return clean(task.last_line);
  return clean(task.progress_text.empty() ? metrics_words(task.metrics) : task.progress_text);
}

Cell detail_cell(const TaskView& task, int columns, Charset charset) {
  const auto percent = progress_percent(task);
  if (task.state == core::TaskState::running && percent) {
    const auto words = progress_words(*percent, clean(task.progress_text));
    if (columns < kMinColumnsForBar) return {words};
    return {fmt::format("{} {}", progress_bar(*percent, kBarCells, charset), words)};
  }
  if (task.state == core::TaskState::running || task.state == core::TaskState::stopping)
    return {last_words(task), Tone::dim};
  const bool has_ended = task.state == core::TaskState::succeeded || task.state == core::TaskState::stopped;
  if (has_ended && (task.reason.empty() || !task.last_line.empty())) return {last_words(task), Tone::plain};
  return {clean(task.reason), state_tone(task.state) == Tone::red ? Tone::red : Tone::dim};
}

Line task_line(const TaskView& task, const Columns& columns, const Frame& frame, const Style& style) {
  const auto& shape = look(task.state);
  const auto tone = state_tone(task.state);
  std::vector<Cell> cells{{task.id.str(), Tone::plain, columns.id}};
  if (columns.state > 0) cells.push_back({state_words(task), tone, columns.state});
  if (columns.node > 0) cells.push_back({task.node, Tone::plain, columns.node});
  if (columns.time > 0) cells.push_back({pad_left(time_words(task, frame), columns.time), Tone::plain, columns.time});
  cells.push_back(detail_cell(task, columns.detail, style.charset));
  // No blanks at the end: a terminal made narrower would fold them into a row of their own.
  while (core::trim(cells.back().text).empty()) cells.pop_back();

  Line line(style.charset == Charset::unicode ? shape.symbol : shape.ascii, tone);
  int gap = 1;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto& cell = cells[i];
    const auto text = cell.columns == 0 ? cell.text : cut(clean(cell.text), cell.columns, style.ellipsis());
    line.add(std::string(static_cast<std::size_t>(gap), ' ')).add(text, cell.tone);
    gap = 2 + std::max(0, cell.columns - display_width(text));
  }
  return line;
}

// The order in which tasks are worth a line; ties keep the job's order.
std::vector<const TaskView*> by_interest(const JobView& job, const Talkers& talkers, core::Instant now) {
  std::vector<std::tuple<int, bool, std::size_t>> ranked;
  for (std::size_t i = 0; i < job.tasks.size(); ++i) {
    const auto& task = job.tasks[i];
    const bool quiet = task.state == core::TaskState::running && !talkers.spoke_lately(task.id, now);
    ranked.emplace_back(look(task.state).rank, quiet, i);
  }
  std::ranges::sort(ranked);
  std::vector<const TaskView*> tasks;
  tasks.reserve(ranked.size());
  for (const auto& entry : ranked) tasks.push_back(&job.tasks[std::get<2>(entry)]);
  return tasks;
}

// "230 running, 10 waiting", the most interesting state first.
std::string count_words(const std::vector<const TaskView*>& tasks, std::size_t from) {
  std::map<std::pair<int, std::string_view>, int> counts;
  for (auto i = from; i < tasks.size(); ++i) ++counts[{look(tasks[i]->state).rank, tasks[i]->state.name()}];
  std::vector<std::string> parts;
  parts.reserve(counts.size());
  for (const auto& [state, count] : counts) parts.push_back(fmt::format("{} {}", count, state.second));
  return core::join(parts, ", ");
}

// "4 of 2 to 8 workers, 2 of 2 others".
std::string elastic_words(const JobView& job) {
  std::vector<std::string> parts;
  auto others = static_cast<std::ptrdiff_t>(job.tasks.size());
  auto running = std::ranges::count(job.tasks, core::Named(core::TaskState::running), &TaskView::state);
  for (const auto& role : job.elastic) {
    const auto is_of_role = [&](const TaskView& task) { return task.id.role == role.name; };
    const auto runs = std::ranges::count_if(
        job.tasks, [&](const TaskView& task) { return is_of_role(task) && task.state == core::TaskState::running; });
    others -= std::ranges::count_if(job.tasks, is_of_role);
    running -= runs;
    parts.push_back(elastic_text(role));
  }
  if (others > 0) parts.push_back(fmt::format("{} of {}", running, core::plural(others, "other")));
  return core::join(parts, ", ");
}

// How far the job is, for the state that it is in.
std::string progress_of_job(const JobView& job) {
  const auto total =
      std::ranges::count_if(job.tasks, [](const TaskView& task) { return task.state != core::TaskState::absent; });
  const auto words = [&](std::int64_t count, std::string_view what) {
    return fmt::format("{} of {}{}", count, core::plural(total, "task"), what);
  };
  const auto count_if = [&](auto condition) { return std::ranges::count_if(job.tasks, condition, &TaskView::state); };
  using State = core::Named<core::TaskState>;
  const auto is_running = [](const State& state) { return state == core::TaskState::running; };
  if (job.state == core::JobState::placing)
    return words(count_if([](const State& state) {
                   return state != core::TaskState::waiting && state != core::TaskState::absent;
                 }),
                 " placed");
  if (job.state == core::JobState::running && !job.elastic.empty()) return elastic_words(job);
  if (job.state == core::JobState::running) return words(count_if(is_running), "");
  if (job.state == core::JobState::starting || job.state == core::JobState::restarting)
    return words(count_if(is_running), " running");
  return words(count_if([](const State& state) { return is_final(state) && state != core::TaskState::absent; }),
               " done");
}

}  // namespace

void Talkers::note(const JobView& job, core::Instant now) {
  for (const auto& task : job.tasks) {
    auto& said = said_[task.id];
    if (said.line == task.last_line && said.progress == task.progress) continue;
    said = {.line = task.last_line, .progress = task.progress, .at = now};
  }
}

bool Talkers::spoke_lately(const core::TaskId& task, core::Instant now) const {
  const auto found = said_.find(task);
  return found != said_.end() && found->second.at && now - *found->second.at < kLately;
}

namespace {

// How far the job is and how long it still takes, as much of it as `columns` hold: "████░░░░░░ 40%  about 6 min left".
std::string estimate_words(const JobView& job, int columns, Charset charset) {
  const auto percent = progress_percent(job.progress);
  if (!percent || job.state != core::JobState::running) return {};
  const auto words = progress_words(*percent, "");
  const auto left = job.left ? "  " + time_left_words(*job.left) : std::string();
  for (auto text : {fmt::format("{} {}{}", progress_bar(*percent, kBarCells, charset), words, left), words + left}) {
    if (display_width(text) <= columns) return text;
  }
  return words;
}

}  // namespace

Line header_line(const JobView& job, const Frame& frame, Charset charset) {
  Line line(job_title(job), Tone::bold);
  line.add("  ").add(job.state.name(), state_tone(job.state));
  if (!job.tasks.empty()) line.add("  ").add(progress_of_job(job));
  line.add("  ").add(running_time(job.finished.value_or(frame.wall) - job.submitted));
  if (const auto words = estimate_words(job, frame.size.columns - line.width() - 2, charset); !words.empty())
    line.add("  ").add(words);
  if (!job.reason.empty()) line.add("  ").add(job.reason, Tone::dim);
  return line;
}

namespace {

std::vector<Line> lines_of_tasks(const JobView& job, const Frame& frame, const Style& style, const Talkers& talkers,
                                 int max_lines, Moment moment) {
  const auto room = static_cast<std::size_t>(std::max(0, max_lines));
  std::vector<const TaskView*> all;
  std::size_t shown = job.tasks.size();
  if (shown <= room) {
    all.reserve(shown);
    for (const auto& task : job.tasks) all.push_back(&task);
  } else {
    all = by_interest(job, talkers, frame.steady);
    shown = room == 0 ? 0 : room - 1;
  }
  const auto columns = measure({all.begin(), all.begin() + static_cast<std::ptrdiff_t>(shown)}, frame, moment);
  std::vector<Line> lines;
  lines.reserve(shown + 1);
  for (std::size_t i = 0; i < shown; ++i) lines.push_back(task_line(*all[i], columns, frame, style));
  if (shown < all.size() && room > 0) {
    const auto lead = shown == 0 ? std::string() : fmt::format("{} and ", style.ellipsis());
    lines.emplace_back(
        fmt::format("{}{} {}: {}", lead, all.size() - shown, shown == 0 ? "tasks" : "more", count_words(all, shown)),
        Tone::dim);
  }
  return lines;
}

}  // namespace

std::vector<Line> task_lines(const JobView& job, const Frame& frame, const Style& style, const Talkers& talkers,
                             int max_lines) {
  return lines_of_tasks(job, frame, style, talkers, max_lines, Moment::live);
}

std::vector<Line> final_task_lines(const JobView& job, const Frame& frame, const Style& style, const Talkers& talkers,
                                   int max_lines) {
  return lines_of_tasks(job, frame, style, talkers, max_lines, Moment::end);
}

std::vector<Line> final_lines(const JobView& job, const Frame& frame, const Style& style) {
  Line summary;
  if (is_final(job.state) || job.state == core::JobState::lost) {
    const auto& shape = look(core::Named<core::TaskState>::parse(job.state.name()));
    summary.add(style.charset == Charset::unicode ? shape.symbol : shape.ascii, state_tone(job.state)).add(" ");
  }
  add_summary(summary, job, frame.wall);
  summary.add("    logs: ", Tone::dim).add("ydl logs " + job.id);
  std::vector<Line> lines{std::move(summary)};
  if (!job.results_path.empty()) lines.push_back(Line("results: ", Tone::dim).add(job.results_path));
  return lines;
}

}  // namespace ydl::ui
