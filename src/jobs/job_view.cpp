#include "jobs/job_view.hpp"

#include "core/described_json.hpp"

namespace ydl::jobs {

BOOST_DESCRIBE_STRUCT(TaskView, (),
                      (id, attempt, state, reason, node, cause, ran_ms, running_since, last_line, progress,
                       progress_text))
BOOST_DESCRIBE_STRUCT(JobView, (),
                      (id, name, framework, cluster, user, state, attempt, submitted, logs, results, tasks, finished,
                       exit_code, reason, cause))
BOOST_DESCRIBE_STRUCT(EventView, (),
                      (seq, time, kind, task, attempt, text, exit_code, signal, peak_memory, cause, node, pid))

boost::json::object to_json(const JobView& view) {
  return core::to_json(view);
}

boost::json::object to_json(const EventView& view) {
  return core::to_json(view);
}

core::Result<JobView> job_view_from_json(const boost::json::object& object) {
  return core::from_json<JobView>(object);
}

core::Result<EventView> event_view_from_json(const boost::json::object& object) {
  return core::from_json<EventView>(object);
}

}  // namespace ydl::jobs
