#include "client/views.hpp"

#include "backend/yarn/yarn_job.hpp"
#include "core/json.hpp"
#include "core/strings.hpp"
#include "files/log_tail.hpp"

#include <algorithm>
#include <filesystem>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace ydl::client {
namespace {

namespace json = boost::json;
using core::json_int_or;
using core::json_string_or;
using core::Result;

constexpr std::size_t kFailureLines = 20;

Result<ui::TaskView> task_from_json(const json::object& o) {
  auto id = core::TaskId::parse(json_string_or(o, "id", ""));
  if (!id) return core::fail(id.error());
  ui::TaskView view;
  view.id = *std::move(id);
  view.attempt = static_cast<int>(json_int_or(o, "attempt", 1));
  view.state = core::Named<core::TaskState>::parse(json_string_or(o, "state", "waiting"));
  view.node = json_string_or(o, "node", "");
  view.reason = json_string_or(o, "reason", "");
  view.running_since = core::parse_utc(json_string_or(o, "running_since", ""));
  if (const auto ran = core::json_int(o, "ran_ms")) view.ran_for = core::Millis(*ran);
  view.last_line = json_string_or(o, "last_line", "");
  view.progress = core::json_number(o, "progress");
  view.progress_text = json_string_or(o, "progress_text", "");
  return view;
}

Result<ui::EventView> event_from_object(const json::object& o) {
  ui::EventView view;
  const auto time = core::parse_utc(json_string_or(o, "time", ""));
  const auto kind = core::json_string(o, "kind");
  if (!time || !kind) return core::fail(core::Errc::corrupt, "an event without a time or a kind");
  view.seq = static_cast<std::uint64_t>(std::max<std::int64_t>(0, json_int_or(o, "seq", 0)));
  view.time = *time;
  view.kind = core::Named<core::RecordKind>::parse(*kind);
  if (auto task = core::TaskId::parse(json_string_or(o, "task", ""))) view.task = *std::move(task);
  view.attempt = static_cast<int>(json_int_or(o, "attempt", 1));
  view.text = json_string_or(o, "text", "");
  if (const auto code = core::json_int(o, "exit_code")) view.exit_code = static_cast<int>(*code);
  return view;
}

}  // namespace

Result<ui::JobView> job_view_from_json(std::string_view text) {
  const auto object = core::parse_json_object(text);
  if (!object) return core::fail(object.error());
  const auto tasks = core::json_array(*object, "tasks");
  if (!tasks) return core::fail(tasks.error());
  ui::JobView view;
  view.id = json_string_or(*object, "id", "");
  view.name = json_string_or(*object, "name", "");
  view.framework = json_string_or(*object, "framework", "");
  view.where = title(core::Named<core::ClusterKind>::parse(json_string_or(*object, "cluster", "")));
  view.state = core::Named<core::JobState>::parse(json_string_or(*object, "state", ""));
  view.submitted = core::parse_utc(json_string_or(*object, "submitted", "")).value_or(core::WallTime{});
  view.finished = core::parse_utc(json_string_or(*object, "finished", ""));
  view.reason = json_string_or(*object, "reason", "");
  if (const auto code = core::json_int(*object, "exit_code")) view.exit_code = static_cast<int>(*code);
  view.logs_path = json_string_or(*object, "logs", "");
  view.results_path = json_string_or(*object, "results", "");
  for (const auto& item : **tasks) {
    if (!item.is_object()) return core::fail(core::Errc::corrupt, "'tasks' holds what is no task");
    auto task = task_from_json(item.get_object());
    if (!task) return core::fail(task.error());
    view.tasks.push_back(*std::move(task));
  }
  return view;
}

Result<ui::EventView> event_from_json(std::string_view line) {
  const auto object = core::parse_json_object(line);
  if (!object) return core::fail(object.error());
  return event_from_object(*object);
}

Result<std::vector<ui::EventView>> events_from_json(std::string_view body) {
  const auto object = core::parse_json_object(body);
  if (!object) return core::fail(object.error());
  const auto list = core::json_array(*object, "events");
  if (!list) return core::fail(list.error());
  std::vector<ui::EventView> events;
  for (const auto& item : **list) {
    if (!item.is_object()) return core::fail(core::Errc::corrupt, "'events' holds what is no event");
    auto event = event_from_object(item.get_object());
    if (!event) return core::fail(event.error());
    events.push_back(*std::move(event));
  }
  return events;
}

Result<StoredEvents> read_events(const jobs::JobFolder& folder) {
  const auto text = core::read_file(folder.events_file(), std::size_t{512} << 20U);
  if (!text) return core::fail(text.error());
  StoredEvents stored;
  for (const auto line : core::split(*text, '\n')) {
    if (line.empty()) continue;
    if (auto event = event_from_json(line)) {
      stored.events.push_back(*std::move(event));
      stored.lines.emplace_back(line);
    } else {
      ++stored.broken;
    }
  }
  return stored;
}

Result<ui::JobView> stored_job_view(const jobs::JobFolder& folder) {
  if (const auto text = core::read_file(folder.view_file())) {
    if (auto view = job_view_from_json(*text)) return view;
  }
  const auto job = jobs::read_job_file(folder);
  if (!job) return core::fail(job.error());
  ui::JobView view;
  view.id = job->id.str();
  view.name = job->spec.name;
  view.framework = job->spec.framework;
  view.where = title(job->cluster);
  view.submitted = job->created;
  view.logs_path = folder.logs().string();
  if (const auto text = core::read_file(folder.yarn_file())) {
    if (const auto on_yarn = backend::yarn_job_from_json(*text)) view.logs_path = on_yarn->folder_url + "/logs";
  }
  view.results_path = job->results.string();
  const auto state = jobs::read_state_file(folder);
  if (!state) return core::fail(state.error());
  view.state = state->state;
  view.reason = state->reason;
  view.finished = state->finished;
  if (is_final(state->state))
    view.exit_code = state->exit_code;
  else {
    view.state = core::JobState::lost;
    view.exit_code = 1;
    view.reason = fmt::format("its master ended before the job did; {} may say why", folder.master_log().string());
  }
  return view;
}

std::optional<ui::FailureView> failure_view(const jobs::JobFolder& folder) {
  const auto state = jobs::read_state_file(folder);
  if (!state || state->cause.empty()) return std::nullopt;
  const auto task = core::TaskId::parse(state->cause);
  if (!task) return std::nullopt;
  ui::FailureView view;
  view.task = *task;
  view.attempt = state->cause_attempt;
  view.sentence = state->reason;
  if (const auto stored = read_events(folder)) {
    for (const auto& event : stored->events) {
      if (event.task == *task && event.attempt == view.attempt && event.kind == core::RecordKind::task_failed)
        view.sentence = event.text;
    }
  }
  const auto logs = folder.task_logs({*task, view.attempt});
  view.log_path = (logs / "stderr").string();
  for (const auto* stream : {"stderr", "stdout"}) {
    const auto lines = files::last_lines(logs / stream, kFailureLines);
    if (!lines || lines->empty()) continue;
    view.last_lines = *lines;
    view.log_path = (logs / stream).string();
    break;
  }
  view.node = "this machine";
  if (const auto job = stored_job_view(folder); job && job->where != view.node) {
    const auto found = std::ranges::find(job->tasks, *task, &ui::TaskView::id);
    view.node = found == job->tasks.end() ? "its host" : found->node;
  }
  view.more_command = fmt::format("ydl logs {} {}", folder.id().str(), task->str());
  return view;
}

}  // namespace ydl::client
