#include "ui/words.hpp"

#include "core/strings.hpp"
#include "ui/text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace ydl::ui {
namespace {

constexpr std::size_t kMaxFailureLines = 20;

bool starts_with_word(std::string_view text, std::string_view word) {
  if (word.empty() || !text.starts_with(word)) return false;
  return text.size() == word.size() || std::isalnum(static_cast<unsigned char>(text[word.size()])) == 0;
}

std::string attempt_note(int attempt) {
  return attempt > 1 ? fmt::format(" (attempt {})", attempt) : std::string();
}

// What is left of a sentence once its subject, which stands before it, is taken off: "worker:0: no" and "no" are one.
std::string_view without_subject(std::string_view text, std::string_view subject) {
  if (!starts_with_word(text, subject)) return text;
  const auto rest = text.substr(subject.size());
  const auto next = rest.find_first_not_of(" :,");
  return next == std::string_view::npos ? std::string_view{} : rest.substr(next);
}

// Whether a sentence is about something else than the task it is told of: "its host did not answer".
bool has_own_subject(std::string_view text) {
  return text.starts_with("its ") || text.starts_with("all ") || text.starts_with("the ");
}

// "task_succeeded" as words, for an event that has no sentence.
std::string kind_words(std::string_view kind) {
  for (const std::string_view prefix : {"task_", "job_"}) {
    if (kind.starts_with(prefix)) kind.remove_prefix(prefix.size());
  }
  std::string words(kind);
  std::ranges::replace(words, '_', ' ');
  return words;
}

// "workers"; "ps" is its own plural.
std::string plural_of(const std::string& noun) {
  return noun.ends_with('s') ? noun : noun + "s";
}

core::Millis age(const JobView& job, core::WallTime now) {
  return std::max(core::Millis(0), job.finished.value_or(now) - job.submitted);
}

}  // namespace

std::string clock_time(core::WallTime time, const UtcOffset& offset) {
  const auto local = time + (offset ? offset(time) : core::Seconds(0));
  const std::chrono::hh_mm_ss day(
      std::chrono::floor<core::Seconds>(local - std::chrono::floor<std::chrono::days>(local)));
  return fmt::format("{:02}:{:02}:{:02}", day.hours().count(), day.minutes().count(), day.seconds().count());
}

std::string metrics_words(const std::optional<core::Metrics>& metrics) {
  if (!metrics) return {};
  std::vector<std::string> words;
  if (metrics->step) words.push_back(fmt::format("step {}", *metrics->step));
  for (const auto& [name, value] : metrics->values)
    words.push_back(value ? fmt::format("{} {:.5g}", name, *value) : fmt::format("{} nan", name));
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string calendar_date(core::WallTime time, const UtcOffset& offset) {
  const auto local = time + (offset ? offset(time) : core::Seconds(0));
  const std::chrono::year_month_day day(std::chrono::floor<std::chrono::days>(local));
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(day.year()), static_cast<unsigned>(day.month()),
                     static_cast<unsigned>(day.day()));
}

std::string running_time(core::Millis duration) {
  const auto seconds = std::chrono::floor<core::Seconds>(std::max(core::Millis(0), duration));
  return seconds.count() == 0 ? "0 s" : core::format_duration(seconds);
}

std::string settled_time(core::Millis duration) {
  const auto positive = std::max(core::Millis(0), duration);
  return positive < core::Seconds(10) ? core::format_duration(positive) : running_time(positive);
}

Tone state_tone(const core::Named<core::JobState>& state) {
  using enum core::JobState;
  if (state == failed || state == lost) return Tone::red;
  if (state == succeeded) return Tone::green;
  if (state == running) return Tone::cyan;
  if (state == starting || state == finishing || state == stopping || state == restarting) return Tone::yellow;
  return Tone::dim;
}

Tone state_tone(const core::Named<core::TaskState>& state) {
  using enum core::TaskState;
  if (state == failed || state == lost) return Tone::red;
  if (state == succeeded) return Tone::green;
  if (state == running) return Tone::cyan;
  if (state == starting || state == stopping) return Tone::yellow;
  return Tone::dim;
}

std::string job_title(const JobView& job) {
  return job.name.empty() || job.id.starts_with(job.name) ? job.id : fmt::format("{} ({})", job.name, job.id);
}

std::optional<core::JobState> end_of_job(const EventView& event) {
  const auto state = event.kind.value() ? job_state_of(*event.kind.value()) : std::nullopt;
  return state && is_final(*state) ? state : std::nullopt;
}

std::string framework_title(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kTitles{
      {{"none", ""}, {"pytorch", "PyTorch"}, {"tensorflow", "TensorFlow"}, {"jax", "JAX"}, {"mxnet", "MXNet"}}};
  const auto* const found = std::ranges::find(kTitles, name, [](const auto& entry) { return entry.first; });
  return clean(found == kTitles.end() ? name : found->second);
}

std::string elastic_text(const ElasticRoleView& role) {
  return fmt::format("{} of {} to {} {}", role.tasks, role.least, role.most, plural_of(clean(role.name)));
}

bool is_small_step(const EventView& event) {
  using enum core::RecordKind;
  static constexpr std::array kKinds{job_created, job_submitted, job_master_up, task_granted, task_reached};
  return std::ranges::any_of(kKinds, [&](core::RecordKind kind) { return event.kind == kind; });
}

std::string event_sentence(const EventView& event, std::string_view job_id) {
  const std::string subject = event.task ? event.task->str() : std::string(job_id);
  const std::string text = clean(event.text);
  const std::string what = text.empty() ? kind_words(event.kind.name()) : std::string(without_subject(text, subject));
  if (!event.task)
    return event.kind == core::RecordKind::note || subject.empty() ? what : fmt::format("{}: {}", subject, what);
  const auto note = attempt_note(event.attempt);
  const auto who = !note.empty() && what.starts_with(note.substr(1)) ? subject : subject + note;
  return fmt::format("{}{} {}", who, has_own_subject(what) ? ":" : "", what);
}

std::string count_of(std::string_view role, std::int64_t count) {
  const auto name = clean(role);
  return fmt::format("{} {}", count, count == 1 ? name : plural_of(name));
}

bool is_alone(const JobView& job) {
  return job.tasks.size() == 1 && job.elastic.empty();
}

std::string roles_text(const JobView& job) {
  std::vector<std::pair<std::string, std::int64_t>> counts;
  for (const auto& task : job.tasks) {
    const auto found = std::ranges::find(counts, task.id.role, [](const auto& entry) { return entry.first; });
    if (found == counts.end())
      counts.emplace_back(task.id.role, 1);
    else
      ++found->second;
  }
  std::vector<std::string> parts;
  for (const auto& [role, count] : counts) {
    const auto name = clean(role);
    const auto elastic = std::ranges::find(job.elastic, role, &ElasticRoleView::name);
    if (elastic != job.elastic.end())
      parts.push_back(fmt::format("{} to {} {}", elastic->least, elastic->most, plural_of(name)));
    else
      parts.push_back(count_of(role, count));
  }
  if (parts.size() < 2) return core::join(parts, "");
  const auto last = std::exchange(parts.back(), {});
  parts.pop_back();
  return fmt::format("{} and {}", core::join(parts, ", "), last);
}

Line begin_line(const JobView& job) {
  Line line(job_title(job), Tone::bold);
  line.add(": ");
  if (const auto framework = framework_title(job.framework); !framework.empty()) line.add(framework + ", ");
  line.add(roles_text(job));
  if (!job.where.empty()) line.add(fmt::format(" on {}", job.where));
  if (!job.queue.empty()) line.add(fmt::format(", queue {}", job.queue));
  return line;
}

Line log_line(const LogLine& line) {
  // The prefix is cleaned apart, so that a carriage return in the text cannot take it away.
  return Line(fmt::format("[{}] ", line.task.str()), Tone::dim).add(line.text);
}

std::vector<Line> failure_lines(const FailureView& failure) {
  std::vector<Line> lines;
  const auto task = failure.task.str();
  const auto node = failure.is_elsewhere ? fmt::format(" on {}", failure.node) : std::string();
  Line first(fmt::format("{}{}{} failed first", task, attempt_note(failure.attempt), node), Tone::red);
  const auto sentence = clean(failure.sentence);
  const auto why = without_subject(sentence, task);
  // "worker:1 failed first, with exit code 3", not "failed first: failed with exit code 3".
  constexpr std::string_view kFailed = "failed with ";
  if (why.starts_with(kFailed))
    first.add(fmt::format(", with {}", why.substr(kFailed.size())));
  else if (!why.empty())
    first.add(fmt::format(": {}", why));
  lines.push_back(std::move(first));
  const auto skip = failure.last_lines.size() - std::min(failure.last_lines.size(), kMaxFailureLines);
  for (auto i = skip; i < failure.last_lines.size(); ++i) lines.push_back(Line("    ").add(failure.last_lines[i]));
  if (!failure.log_path.empty()) lines.push_back(Line("log: ", Tone::dim).add(failure.log_path));
  if (!failure.more_command.empty()) lines.push_back(Line("more: ", Tone::dim).add(failure.more_command));
  return lines;
}

void add_summary(Line& line, const JobView& job, core::WallTime now) {
  line.add(job_title(job), Tone::bold);
  const auto took = settled_time(age(job, now));
  if (is_final(job.state)) {
    line.add(" ").add(job.state.name(), state_tone(job.state));
    line.add(fmt::format(" {} {}", job.state == core::JobState::succeeded ? "in" : "after", took));
  } else if (job.state == core::JobState::lost) {
    line.add(" was ").add(job.state.name(), state_tone(job.state)).add(fmt::format(" after {}", took));
  } else {
    line.add(fmt::format(" goes on: {} for {}", job.state.name(), took));
  }
  if (!job.reason.empty() && job.state != core::JobState::succeeded) {
    // "stopped after 41 s: by kim", not "stopped after 41 s: stopped by kim".
    const auto reason = clean(job.reason);
    line.add(fmt::format(": {}", without_subject(without_subject(reason, job.id), job.state.name())));
  }
}

std::vector<Line> finish_lines(const JobView& job, core::WallTime now) {
  std::vector<Line> lines(1);
  add_summary(lines.front(), job, now);
  if (!job.results_path.empty()) lines.push_back(Line("results: ", Tone::dim).add(job.results_path));
  if (!job.logs_path.empty()) lines.push_back(Line("logs: ", Tone::dim).add(job.logs_path));
  return lines;
}

}  // namespace ydl::ui
