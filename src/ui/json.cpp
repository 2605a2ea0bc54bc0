#include "ui/json.hpp"

#include "core/cluster_kind.hpp"
#include "core/strings.hpp"
#include "ui/progress.hpp"

#include <algorithm>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace ydl::ui {
namespace {

namespace json = boost::json;

constexpr int kVersion = 1;
constexpr core::Seconds kProgressEvery{1};

json::value text(std::string_view bytes) {
  return json::value(json::string(core::printable(bytes)));
}
json::value time(core::WallTime at) {
  return json::value(json::string(core::format_utc(at)));
}
json::value time_or_null(const std::optional<core::WallTime>& at) {
  return at ? time(*at) : json::value(nullptr);
}

template <class Number>
json::value number_or_null(const std::optional<Number>& number) {
  return number ? json::value(*number) : json::value(nullptr);
}

json::value millis_or_null(const std::optional<core::Millis>& duration) {
  return duration ? json::value(duration->count()) : json::value(nullptr);
}

json::object line_of(std::string_view type) {
  json::object object;
  object["v"] = kVersion;
  object["type"] = json::string(type);
  return object;
}

json::object line_of(std::string_view type, std::string_view job_id) {
  auto object = line_of(type);
  object["job"] = text(job_id);
  return object;
}

std::string written(const json::object& object) {
  return json::serialize(object) + "\n";
}

// A view holds where a job runs as part of a sentence, JSON has the name that --cluster takes. A kind that only a
// newer master has is called the same in both.
json::value cluster(std::string_view where) {
  const auto title = std::ranges::find(core::kClusterTitles, where);
  if (title == core::kClusterTitles.end()) return text(where);
  return text(core::name(static_cast<core::ClusterKind>(title - core::kClusterTitles.begin())));
}

json::object metrics_object(const core::Metrics& metrics) {
  json::object values;
  for (const auto& [name, value] : metrics.values) values[core::printable(name)] = number_or_null(value);
  return {{"step", number_or_null(metrics.step)}, {"values", std::move(values)}};
}

json::object task_object(const TaskView& task) {
  json::object object;
  object["task"] = text(task.id.str());
  object["attempt"] = task.attempt;
  object["state"] = text(task.state.name());
  object["node"] = text(task.node);
  object["reason"] = text(task.reason);
  object["running_since"] = time_or_null(task.running_since);
  object["ran_for_ms"] = millis_or_null(task.ran_for);
  object["percent"] = number_or_null(progress_percent(task));
  object["progress_text"] = text(task.progress_text);
  object["left_ms"] = millis_or_null(task.left);
  object["cpu_percent"] = number_or_null(task.cpu_percent);
  object["memory_bytes"] = number_or_null(task.memory_bytes);
  object["memory_limit_bytes"] = number_or_null(task.memory_limit);
  object["quiet_ms"] = millis_or_null(task.quiet);
  object["last_line"] = text(task.last_line);
  if (task.metrics) object["metrics"] = metrics_object(*task.metrics);
  if (task.saved) object["saved"] = time_or_null(task.saved);
  return object;
}

}  // namespace

std::string json_job_line(const JobView& job) {
  auto object = line_of("job", job.id);
  object["name"] = text(job.name);
  object["framework"] = text(job.framework);
  object["cluster"] = cluster(job.where);
  object["state"] = text(job.state.name());
  object["reason"] = text(job.reason);
  object["submitted"] = time(job.submitted);
  object["finished"] = time_or_null(job.finished);
  object["percent"] = number_or_null(progress_percent(job.progress));
  object["left_ms"] = millis_or_null(job.left);
  json::array tasks;
  for (const auto& task : job.tasks) tasks.push_back(task_object(task));
  object["tasks"] = std::move(tasks);
  if (!job.elastic.empty()) {
    auto& elastic = object["elastic"].emplace_array();
    for (const auto& role : job.elastic)
      elastic.push_back({{"role", text(role.name)}, {"least", role.least}, {"most", role.most}, {"tasks", role.tasks}});
  }
  json::array avoided;
  for (const auto& host : job.avoided) {
    avoided.push_back(
        json::object{{"node", text(host.node)}, {"until", time_or_null(host.until)}, {"reason", text(host.reason)}});
  }
  object["avoided"] = std::move(avoided);
  if (!job.queue.empty()) object["queue"] = text(job.queue);
  if (!job.commands.empty()) {
    auto& commands = object["commands"].emplace_array();
    for (const auto& command : job.commands) {
      json::array words;
      for (const auto& word : command.words) words.push_back(text(word));
      commands.push_back({{"role", text(command.role)}, {"words", std::move(words)}});
    }
  }
  if (!job.notice.empty()) object["notice"] = text(job.notice);
  return written(object);
}

std::string json_event_line(const EventView& event, std::string_view job_id) {
  auto object = line_of("event", job_id);
  object["seq"] = event.seq;
  object["time"] = time(event.time);
  object["kind"] = text(event.kind.name());
  object["task"] = event.task ? text(event.task->str()) : json::value(nullptr);
  object["attempt"] = event.task ? json::value(event.attempt) : json::value(nullptr);
  object["text"] = text(event.text);
  if (!event.cause.empty()) object["cause"] = text(event.cause);
  return written(object);
}

std::string json_log_line(const LogLine& line, std::string_view job_id, std::optional<core::WallTime> time) {
  auto object = line_of("log", job_id);
  object["task"] = text(line.task.str());
  object["stream"] = text(line.stream);
  object["time"] = time_or_null(time);
  object["text"] = text(line.text);
  return written(object);
}

std::string json_timeline(std::span<const EventView> events, std::string_view job_id) {
  std::string out;
  for (const auto& times : attempt_times(events)) {
    auto object = line_of("attempt", job_id);
    object["task"] = text(times.attempt.task.str());
    object["attempt"] = times.attempt.attempt;
    object["asked"] = time(times.asked);
    object["granted"] = time_or_null(times.granted);
    object["reached"] = time_or_null(times.reached);
    object["placed"] = time_or_null(times.placed);
    object["starting"] = time_or_null(times.starting);
    object["running"] = time_or_null(times.running);
    object["ended"] = time_or_null(times.ended);
    object["end"] = times.end ? text(core::name(*times.end)) : json::value(nullptr);
    out += written(object);
  }
  return out;
}

std::string json_error_line(std::string_view sentence, int exit_code) {
  auto object = line_of("error");
  object["text"] = text(sentence);
  object["exit_code"] = exit_code;
  return written(object);
}

std::string JsonDisplay::progress_lines(const JobView& job, core::Instant now) {
  std::string out;
  for (const auto& task : job.tasks) {
    const auto percent = progress_percent(task);
    if (!percent) continue;
    auto& told = told_[task.id];
    if (told.attempt != task.attempt) told = {.attempt = task.attempt, .percent = -1, .at = std::nullopt};
    const bool soon = told.at && now - *told.at < kProgressEvery && *percent != 100;
    if (told.percent == *percent || soon) continue;
    told.percent = *percent;
    told.at = now;
    auto object = line_of("progress", job.id);
    object["task"] = text(task.id.str());
    object["attempt"] = task.attempt;
    object["percent"] = *percent;
    object["text"] = text(task.progress_text);
    object["left_ms"] = millis_or_null(task.left);
    out += written(object);
  }
  return out;
}

std::string JsonDisplay::metric_lines(const JobView& job, core::Instant now) {
  std::string out;
  const bool has_ended = is_final(job.state);
  for (const auto& task : job.tasks) {
    if (!task.metrics) continue;
    auto& told = told_metrics_[task.id];
    const bool is_told = told.attempt == task.attempt && told.metrics == *task.metrics;
    const bool is_soon = told.attempt == task.attempt && now - told.at < kProgressEvery;
    if (is_told || (is_soon && !has_ended)) continue;
    told = {.attempt = task.attempt, .metrics = *task.metrics, .at = now};
    auto object = line_of("metric", job.id);
    object["task"] = text(task.id.str());
    object["attempt"] = task.attempt;
    for (auto& [key, value] : metrics_object(*task.metrics)) object[key] = std::move(value);
    out += written(object);
  }
  return out;
}

std::string JsonDisplay::begin(const JobView& job, const Frame& frame) {
  return update(job, frame);
}

std::string JsonDisplay::update(const JobView& job, const Frame& frame) {
  job_id_ = job.id;
  std::string out;
  if (job.state != job_state_) {
    job_state_ = job.state;
    out = json_job_line(job);
  }
  return out + progress_lines(job, frame.steady) + metric_lines(job, frame.steady);
}

std::string JsonDisplay::event(const EventView& event, const Frame& /*frame*/) {
  return events_.is_new(event) ? json_event_line(event, job_id_) : std::string();
}

std::string JsonDisplay::log(const LogLine& line, const Frame& /*frame*/) {
  return json_log_line(line, job_id_);
}

std::string JsonDisplay::failure(const FailureView& failure, const Frame& /*frame*/) {
  auto object = line_of("failure", job_id_);
  object["task"] = text(failure.task.str());
  object["attempt"] = failure.attempt;
  object["node"] = text(failure.node);
  object["text"] = text(failure.sentence);
  json::array lines;
  for (const auto& line : failure.last_lines) lines.push_back(text(line));
  object["last_lines"] = std::move(lines);
  object["log_path"] = text(failure.log_path);
  object["more_command"] = text(failure.more_command);
  return written(object);
}

std::string JsonDisplay::finish(const JobView& job, const Frame& frame) {
  std::string out = update(job, frame);
  auto object = line_of("result", job.id);
  object["state"] = text(job.state.name());
  object["exit_code"] = number_or_null(job.exit_code);
  object["reason"] = text(job.reason);
  object["elapsed_ms"] = std::max<std::int64_t>(0, (job.finished.value_or(frame.wall) - job.submitted).count());
  object["results_path"] = text(job.results_path);
  object["logs_path"] = text(job.logs_path);
  return out + written(object);
}

}  // namespace ydl::ui
