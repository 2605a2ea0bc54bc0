#include "jobs/job_view.hpp"

#include "core/metrics_json.hpp"

namespace ydl::jobs {

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
