#include "client/views.hpp"

#include "backend/yarn/yarn_job.hpp"
#include "core/json.hpp"
#include "core/strings.hpp"
#include "files/log_tail.hpp"
#include "jobs/job_view.hpp"
#include "jobs/master_trace.hpp"
#include "ui/words.hpp"

#include <algorithm>
#include <filesystem>
#include <unordered_map>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace ydl::client {
namespace {

namespace json = boost::json;
using core::Result;

constexpr std::size_t kFailureLines = 20;

ui::TaskView shown(jobs::TaskView task) {
  return {.id = std::move(task.id),
          .attempt = task.attempt,
          .state = std::move(task.state),
          .node = std::move(task.node).value_or(""),
          .reason = std::move(task.reason),
          .running_since = task.running_since,
          .ran_for = task.ran_ms,
          .last_line = std::move(task.last_line).value_or(""),
          .progress = task.progress,
          .progress_text = std::move(task.progress_text).value_or(""),
          .saved = task.saved,
          .left = task.left_ms,
          .cpu_percent = task.cpu_percent,
          .memory_bytes = task.memory_bytes,
          .memory_limit = task.memory_limit_bytes,
          .quiet = task.quiet_ms,
          .metrics = std::move(task.metrics)};
}

Result<ui::EventView> event_from_object(const json::object& object) {
  auto event = jobs::event_view_from_json(object);
  if (!event) return core::fail(event.error());
  return ui::EventView{.seq = event->seq,
                       .time = event->time,
                       .kind = std::move(event->kind),
                       .task = std::move(event->task),
                       .attempt = event->attempt.value_or(1),
                       .text = std::move(event->text),
                       .exit_code = event->exit_code,
                       .cause = event->cause ? std::string(event->cause->name()) : "",
                       .node = std::move(event->node).value_or("")};
}

}  // namespace

Result<ui::JobView> job_view_from_json(std::string_view text) {
  const auto object = core::parse_json_object(text);
  if (!object) return core::fail(object.error());
  auto job = jobs::job_view_from_json(*object);
  if (!job) return core::fail(job.error());
  ui::JobView view{.id = std::move(job->id),
                   .name = std::move(job->name),
                   .framework = std::move(job->framework),
                   .where = title(job->cluster),
                   .state = std::move(job->state),
                   .submitted = job->submitted,
                   .finished = job->finished,
                   .tasks = {},
                   .reason = std::move(job->reason).value_or(""),
                   .exit_code = job->exit_code,
                   .logs_path = std::move(job->logs),
                   .results_path = std::move(job->results),
                   .avoided = {},
                   .elastic = {},
                   .queue = {},
                   .notice = std::move(job->notice).value_or(""),
                   .progress = job->progress,
                   .left = job->left_ms,
                   .commands = {}};
  view.tasks.reserve(job->tasks.size());
  for (auto& task : job->tasks) view.tasks.push_back(shown(std::move(task)));
  for (auto& host : job->avoided.value_or(std::vector<jobs::AvoidedView>{}))
    view.avoided.push_back({std::move(host.node), host.until, std::move(host.reason)});
  for (auto& role : job->elastic.value_or(std::vector<jobs::ElasticRoleView>{}))
    view.elastic.push_back({std::move(role.name), role.least, role.most, role.tasks});
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
    if (!item.is_object()) return core::fail(core::Errc::corrupt, "'events' contains a value that is not an event");
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
  std::uint64_t last = 0;
  for (const auto line : core::split(*text, '\n')) {
    if (line.empty()) continue;
    if (auto event = event_from_json(line)) {
      // A master that took over the job may repeat events that are already in the file.
      if (event->seq != 0 && event->seq <= last) continue;
      last = event->seq;
      stored.events.push_back(*std::move(event));
      stored.lines.emplace_back(line);
    } else {
      ++stored.broken;
    }
  }
  return stored;
}

namespace {

// Applies an event to its task.
void apply(ui::TaskView& task, const jobs::EventView& event) {
  const auto state = event.kind.value() ? core::task_state_of(*event.kind.value()) : std::nullopt;
  if (!state) return;
  if (event.attempt && *event.attempt != task.attempt) {
    ui::TaskView next;
    next.id = task.id;
    next.attempt = *event.attempt;
    task = std::move(next);
  }
  task.state = *state;
  if (event.node) task.node = *event.node;
  if (*state == core::TaskState::running) task.running_since = event.time;
  if (!is_final(*state)) return;
  if (*state == core::TaskState::absent) task.node.clear();
  task.reason = event.text;
  if (task.running_since) task.ran_for = event.time - *task.running_since;
  task.running_since.reset();
}

// The tasks of a job without a view of its master, from its events. Tasks that had not ended are lost.
std::vector<ui::TaskView> tasks_of_lost_job(const jobs::JobFolder& folder, const spec::JobSpec& spec) {
  std::vector<ui::TaskView> tasks;
  for (const auto& role : spec.roles) {
    for (int index = 0; index < role.count; ++index) tasks.emplace_back().id = {role.name, index};
  }
  const auto stored = read_events(folder);
  if (!stored) return tasks;
  std::unordered_map<core::TaskId, std::size_t> indices;
  for (std::size_t i = 0; i < tasks.size(); ++i) indices.emplace(tasks[i].id, i);
  for (const auto& line : stored->lines) {
    const auto object = core::parse_json_object(line);
    if (!object) continue;
    const auto event = jobs::event_view_from_json(*object);
    if (!event || !event->task) continue;
    const auto known = indices.find(*event->task);
    if (known != indices.end()) apply(tasks[known->second], *event);
  }
  for (auto& task : tasks) {
    if (is_final(task.state)) continue;
    task.state = core::TaskState::lost;
    task.running_since.reset();
  }
  return tasks;
}

}  // namespace

Result<ui::JobView> stored_job_view(const jobs::JobFolder& folder) {
  if (const auto text = core::read_file(folder.view_file())) {
    auto view = job_view_from_json(*text);
    // On YARN a master on the client's host replaces the file repeatedly.
    const bool is_outdated = view && !is_final(view->state) && jobs::trace_of_master(folder) == jobs::MasterTrace::gone;
    if (view && !is_outdated) return view;
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
  if (is_final(state->state)) {
    view.exit_code = state->exit_code;
    // A client has recorded that the master, which ran on this machine, has ended.
    if (jobs::trace_of_master(folder) != jobs::MasterTrace::none) view.tasks = tasks_of_lost_job(folder, job->spec);
  } else {
    view.state = core::JobState::lost;
    view.exit_code = 1;
    view.tasks = tasks_of_lost_job(folder, job->spec);
    view.reason =
        fmt::format("its master ended before the job did; {} may show the reason", folder.master_log().string());
    jobs::remove_unfinished_files(folder);  // the master that was writing them has ended
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
  if (const auto job = stored_job_view(folder)) {
    const auto found = std::ranges::find(job->tasks, *task, &ui::TaskView::id);
    if (found != job->tasks.end()) view.node = found->node;
    view.is_elsewhere = !view.node.empty() && job->where != ui::kThisMachine;
  }
  view.more_command = fmt::format("ydl logs {} {}", folder.id().str(), task->str());
  return view;
}

}  // namespace ydl::client
