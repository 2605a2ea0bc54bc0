// The view of the job for the API and `ydl status`.
#include "jobs/job_view.hpp"
#include "master/master.hpp"

#include <algorithm>

#include <boost/json.hpp>

namespace ydl::master {

namespace json = boost::json;

std::shared_ptr<const std::string> Master::recent_view() {
  const auto now = core::steady_now();
  if (recent_view_ == nullptr || now - recent_view_at_ > core::Seconds(1)) {
    recent_view_ = std::make_shared<const std::string>(job_view());
    recent_view_at_ = now;
  }
  return recent_view_;
}

// Usage of a running task, how long it has been silent, and its estimated time.
void Master::add_meter(jobs::TaskView& view, core::Instant now) const {
  const auto found = meters_.find(view.id);
  if (found == meters_.end()) return;
  const auto& meter = found->second;
  view.left_ms = meter.left(view.attempt, now);
  view.cpu_percent = meter.cpu_percent();
  view.memory_bytes = meter.memory_bytes();
  if (view.memory_bytes) {
    const auto& role = plan_.role(view.id.role);
    // On a cluster every container has a size.
    const auto limit = job_.cluster == core::ClusterKind::local ? role.asked.memory.value_or(0) : role.memory;
    if (limit > 0) view.memory_limit_bytes = limit;
  }
  view.quiet_ms = std::max(core::Millis(0), now - meter.wrote_at());
}

std::string Master::job_view() const {
  const auto snapshot = machine_.snapshot();
  const auto now = core::steady_now();
  const auto wall = core::wall_now();
  jobs::JobView view{.id = job_.id.str(),
                     .name = job_.spec.name,
                     .framework = job_.spec.framework,
                     .cluster = job_.cluster,
                     .user = job_.user,
                     .state = outcome_ ? outcome_->state : shown_state_,
                     .attempt = snapshot.attempt,
                     .submitted = job_.created,
                     .logs = logs_elsewhere_.empty() ? folder_.logs().string() : logs_elsewhere_,
                     .results = job_.results.string(),
                     .tasks = {},
                     .finished = finished_at_};
  view.tasks.reserve(snapshot.tasks.size());
  for (const auto& task : snapshot.tasks) {
    auto& one = view.tasks.emplace_back(
        jobs::TaskView{.id = task.id, .attempt = task.attempt, .state = task.state, .reason = task.reason});
    if (task.place) one.node = task.place->node;
    if (task.cause != job::Cause::none) one.cause = task.cause;
    if (task.running_since && task.ended_at) one.ran_ms = *task.ended_at - *task.running_since;
    if (task.running_since) one.running_since = wall - (now - *task.running_since);
    if (task.saved_at) one.saved = wall - (now - *task.saved_at);
    const auto output = outputs_.find(task.id);
    if (output == outputs_.end() || output->second.attempt.attempt != task.attempt) continue;
    one.last_line = output->second.last_line;
    one.metrics = output->second.metrics;
    if (task.state == job::TaskState::running) add_meter(one, now);
    if (!output->second.progress) continue;
    one.progress = output->second.progress;
    one.progress_text = output->second.progress_text;
  }
  if (!outcome_) {
    const auto estimate = estimate_job(plan_.job, snapshot, outputs_, meters_, now);
    view.progress = estimate.progress;
    view.left_ms = estimate.left;
  }
  auto& avoided = view.avoided.emplace();
  for (const auto& host : snapshot.avoided) {
    auto& one = avoided.emplace_back(jobs::AvoidedView{.node = host.node, .until = {}, .reason = host.reason});
    if (host.until) one.until = wall + (*host.until - now);
  }
  for (const auto& role : plan_.job.roles) {
    if (!role.is_elastic()) continue;
    const auto tasks = std::ranges::count_if(
        snapshot.tasks, [&](const auto& task) { return task.is_member && task.id.role == role.name; });
    if (!view.elastic) view.elastic.emplace();
    view.elastic->push_back(
        {.name = role.name, .least = role.least, .most = role.count, .tasks = static_cast<int>(tasks)});
  }
  if (trouble_ && !outcome_) view.notice = notice();
  if (outcome_) {
    view.exit_code = outcome_->exit_code;
    view.reason = outcome_->reason;
    if (outcome_->cause != job::Cause::none) view.cause = outcome_->cause;
  }
  return json::serialize(jobs::to_json(view));
}

}  // namespace ydl::master
