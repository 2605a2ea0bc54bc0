#include "ui/timeline.hpp"

#include "ui/table.hpp"
#include "ui/text.hpp"
#include "ui/words.hpp"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

namespace ydl::ui {
namespace {

constexpr int kDefaultWidth = 80;
constexpr int kMinBar = 10;

// What begins the placing of the next attempt: of every task, or of one.
bool asks_for_places(const EventView& event) {
  using enum core::RecordKind;
  return event.kind == job_placing || event.kind == job_restarting || event.kind == task_retry;
}

void record(AttemptTimes& times, const EventView& event) {
  const auto first = [&](std::optional<core::WallTime>& time) {
    if (!time) time = event.time;
  };
  using enum core::RecordKind;
  if (event.kind == task_granted) first(times.granted);
  if (event.kind == task_reached) first(times.reached);
  if (event.kind == task_placed) first(times.placed);
  if (event.kind == task_starting) first(times.starting);
  if (event.kind == task_running) first(times.running);
  const auto state = event.kind.value() ? task_state_of(*event.kind.value()) : std::nullopt;
  if (state && is_final(*state) && !times.ended) {
    times.ended = event.time;
    times.end = state;
  }
}

enum class Shown { always, when_there };  // on one machine tasks do not wait for containers

struct Phase {
  std::string_view title;
  char mark;
  std::string_view words;
  std::optional<core::WallTime> AttemptTimes::* begin;  // null: `asked`
  Shown shown = Shown::always;
};
constexpr std::array<Phase, 6> kPhases{
    {{"PLACING", '.', "placing", nullptr},
     {"CONTAINER", ',', "container on its way", &AttemptTimes::granted, Shown::when_there},
     {"PREPARING", '-', "preparing", &AttemptTimes::reached, Shown::when_there},
     {"PEERS", ':', "waiting for its peers", &AttemptTimes::placed},
     {"STARTING", '=', "starting", &AttemptTimes::starting},
     {"RUNNING", '#', "running", &AttemptTimes::running}}};

bool is_shown(const Phase& phase, std::span<const AttemptTimes> all) {
  return phase.shown == Shown::always ||
         std::ranges::any_of(all, [&](const AttemptTimes& times) { return (times.*phase.begin).has_value(); });
}

struct Span {
  core::WallTime begin;
  core::WallTime end;
};

// Each phase lasts until the next that was reached, or the attempt's end.
std::array<std::optional<Span>, kPhases.size()> phase_spans(const AttemptTimes& times, core::WallTime now) {
  std::array<std::optional<Span>, kPhases.size()> spans;
  auto end = times.ended.value_or(std::max(now, times.asked));
  for (std::size_t i = kPhases.size(); i-- > 0;) {
    const auto begin = kPhases[i].begin == nullptr ? std::optional(times.asked) : times.*kPhases[i].begin;
    if (!begin) continue;
    spans[i] = Span{std::min(*begin, end), end};
    end = spans[i]->begin;
  }
  return spans;
}

struct Scale {
  core::WallTime origin;
  core::Millis total;
};

// The cell, of `cells`, that stands for `time`.
int cell_of(core::WallTime time, const Scale& scale, int cells) {
  return static_cast<int>(std::clamp<std::int64_t>((time - scale.origin) * cells / scale.total, 0, cells));
}

std::string bar(const std::array<std::optional<Span>, kPhases.size()>& spans, const Scale& scale, int cells) {
  std::string text(static_cast<std::size_t>(cells), ' ');
  for (std::size_t i = 0; i < kPhases.size(); ++i) {
    if (!spans[i]) continue;
    const int first = std::min(cell_of(spans[i]->begin, scale, cells), cells - 1);
    // However short, a phase that took any time is seen, unless the next one needs its only cell.
    const int some = spans[i]->end > spans[i]->begin ? 1 : 0;
    const int last = std::max(cell_of(spans[i]->end, scale, cells), first + some);
    std::fill(text.begin() + first, text.begin() + std::min(last, cells), kPhases[i].mark);
  }
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

std::string task_words(const core::AttemptId& id) {
  return id.attempt > 1 ? fmt::format("{} #{}", id.task.str(), id.attempt) : id.task.str();
}

Scale scale_of(std::span<const AttemptTimes> all, core::WallTime now, std::optional<core::WallTime> created) {
  core::WallTime origin = created.value_or(all.front().asked);
  core::WallTime end = origin;
  for (const auto& times : all) {
    origin = std::min(origin, times.asked);
    end = std::max(end, times.ended.value_or(now));
  }
  return {origin, std::max(core::Millis(1), end - origin)};
}

// With bars of `cells` columns; 0: without, to see how much room they have.
Table table_of(std::span<const AttemptTimes> all, core::WallTime now, const Scale& scale, int cells) {
  std::vector<Column> columns{{"TASK"}};
  for (const auto& phase : kPhases) {
    if (is_shown(phase, all)) columns.push_back({std::string(phase.title), Align::right});
  }
  columns.push_back({"END"});
  if (cells > 0) columns.push_back({"0" + pad_left(settled_time(scale.total), cells - 1)});
  Table table(std::move(columns));
  for (const auto& times : all) {
    const auto spans = phase_spans(times, now);
    std::vector<std::string> row{task_words(times.attempt)};
    for (std::size_t i = 0; i < spans.size(); ++i) {
      if (is_shown(kPhases[i], all)) row.push_back(spans[i] ? settled_time(spans[i]->end - spans[i]->begin) : "-");
    }
    row.emplace_back(times.end ? name(*times.end) : "-");
    if (cells > 0) row.push_back(bar(spans, scale, cells));
    table.row(std::move(row), times.end && state_tone(*times.end) == Tone::red ? Tone::red : Tone::plain);
  }
  return table;
}

std::string legend(std::span<const AttemptTimes> all) {
  std::string text;
  for (const auto& phase : kPhases) {
    if (is_shown(phase, all)) text += fmt::format("{}{} {}", text.empty() ? "" : "  ", phase.mark, phase.words);
  }
  return text;
}

std::optional<core::WallTime> time_of(std::span<const EventView> events, core::RecordKind kind) {
  const auto found = std::ranges::find_if(events, [&](const EventView& event) { return event.kind == kind; });
  return found == events.end() ? std::nullopt : std::optional(found->time);
}

// "submitted after 320 ms, master up after 1.1 s, containers asked for after 1.2 s"; empty where there was no such way.
std::string way_to_the_cluster(std::span<const EventView> events) {
  using enum core::RecordKind;
  static constexpr std::array<std::pair<core::RecordKind, std::string_view>, 3> kSteps{
      {{job_submitted, "submitted"}, {job_master_up, "master up"}, {job_placing, "containers asked for"}}};
  const auto created = time_of(events, job_created);
  if (!created) return {};
  std::string words;
  for (const auto& [kind, what] : kSteps) {
    const auto time = time_of(events, kind);
    if (!time) continue;
    const auto after = std::max(core::Millis(0), *time - *created);
    words += fmt::format("{}{} after {}", words.empty() ? "" : ", ", what, settled_time(after));
  }
  return words;
}

}  // namespace

std::vector<AttemptTimes> attempt_times(std::span<const EventView> events) {
  std::vector<AttemptTimes> all;
  std::map<core::AttemptId, std::size_t> index;
  std::optional<core::WallTime> job_asked;
  std::optional<core::WallTime> last_placed;
  std::map<core::TaskId, core::WallTime> task_asked;
  for (const auto& event : events) {
    if (asks_for_places(event)) {
      if (event.task)
        task_asked[*event.task] = event.time;
      else
        job_asked = event.time;
      continue;
    }
    if (!event.task) continue;
    const core::AttemptId id{*event.task, event.attempt};
    const auto [found, added] = index.try_emplace(id, all.size());
    if (added) {
      auto asked = job_asked.value_or(event.time);
      if (const auto own = task_asked.find(*event.task); own != task_asked.end()) asked = std::max(asked, own->second);
      all.push_back({.attempt = id,
                     .asked = asked,
                     .granted = {},
                     .reached = {},
                     .placed = {},
                     .starting = {},
                     .running = {},
                     .ended = {},
                     .end = {}});
    }
    auto& times = all[found->second];
    if (event.kind == core::RecordKind::task_placed) last_placed = event.time;
    // A job's tasks start when the last of them is placed: that has an event even where the start has not.
    if (event.kind == core::RecordKind::task_running && times.placed && !times.starting) times.starting = last_placed;
    record(times, event);
  }
  return all;
}

std::string render_timeline(std::span<const EventView> events, core::WallTime now, int width, const Style& style) {
  const auto all = attempt_times(events);
  if (all.empty()) return "no task has been placed yet\n";
  const int screen = width > 0 ? width : kDefaultWidth;
  const auto scale = scale_of(all, now, time_of(events, core::RecordKind::job_created));
  std::string head;
  if (const auto words = way_to_the_cluster(events); !words.empty()) head = Line(words).cut_to(screen, style) + "\n";
  const int room = screen - table_of(all, now, scale, 0).natural_width() - 2;
  // On a screen too narrow for bars the numbers alone are worth more than a cut bar.
  if (room < kMinBar) return head + table_of(all, now, scale, 0).render(screen, style);
  return head + table_of(all, now, scale, room).render(screen, style) +
         Line(legend(all), Tone::dim).cut_to(screen, style) + "\n";
}

}  // namespace ydl::ui
