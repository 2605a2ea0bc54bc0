#pragma once

#include "core/clock.hpp"
#include "core/cluster_kind.hpp"
#include "core/ids.hpp"
#include "core/job_states.hpp"
#include "core/metrics.hpp"
#include "core/result.hpp"
#include "job/cause.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/describe/class.hpp>
#include <boost/json/fwd.hpp>

// A job as its master shows it in view.json, events.jsonl and the HTTP API. Master and clients may have different
// versions, so fields are only added, readers ignore unknown fields, and unknown states and kinds keep their names. The
// members have the names and the order of the JSON; only optional ones may be missing.
namespace ydl::jobs {

struct TaskView {
  core::TaskId id;
  int attempt = 1;
  core::Named<core::TaskState> state = core::TaskState::waiting;
  std::string reason = {};
  std::optional<std::string> node = {};
  std::optional<core::Named<job::Cause>> cause = {};
  std::optional<core::Millis> ran_ms = {};
  std::optional<core::WallTime> running_since = {};
  std::optional<std::string> last_line = {};
  std::optional<double> progress = {};
  std::optional<std::string> progress_text = {};
  std::optional<core::WallTime> saved = {};  // when its files were last saved
  std::optional<core::Millis> left_ms = {};  // the estimated time until its progress is 1
  // Of a running task, from the last sample of its agent.
  std::optional<int> cpu_percent = {};  // 100: one core
  std::optional<std::uint64_t> memory_bytes = {};
  std::optional<std::uint64_t> memory_limit_bytes = {};
  std::optional<core::Millis> quiet_ms = {};  // since its log last grew
  std::optional<core::Metrics> metrics = {};
};
BOOST_DESCRIBE_STRUCT(TaskView, (),
                      (id, attempt, state, reason, node, cause, ran_ms, running_since, last_line, progress,
                       progress_text, saved, left_ms, cpu_percent, memory_bytes, memory_limit_bytes, quiet_ms, metrics))

// A host that the job currently avoids.
struct AvoidedView {
  std::string node;
  std::optional<core::WallTime> until = {};  // nothing: until the job ends
  std::string reason;
};
BOOST_DESCRIBE_STRUCT(AvoidedView, (), (node, until, reason))

// A role whose number of tasks may change.
struct ElasticRoleView {
  std::string name;
  int least = 1;
  int most = 1;
  int tasks = 0;  // the current number
};
BOOST_DESCRIBE_STRUCT(ElasticRoleView, (), (name, least, most, tasks))

struct JobView {
  std::string id;
  std::string name;
  std::string framework;
  core::Named<core::ClusterKind> cluster = core::ClusterKind::local;
  std::string user;
  core::Named<core::JobState> state = core::JobState::placing;
  int attempt = 1;
  core::WallTime submitted;
  std::string logs;
  std::string results;
  std::vector<TaskView> tasks = {};
  std::optional<core::WallTime> finished = {};
  std::optional<int> exit_code = {};
  std::optional<std::string> reason = {};
  std::optional<core::Named<job::Cause>> cause = {};
  std::optional<std::vector<AvoidedView>> avoided = {};  // the one avoided longest comes first
  std::optional<std::vector<ElasticRoleView>> elastic = {};
  std::optional<std::string> notice = {};  // what currently delays the job, other than its tasks
  // Those of the deciding task that will need the most time.
  std::optional<double> progress = {};
  std::optional<core::Millis> left_ms = {};
};
BOOST_DESCRIBE_STRUCT(JobView, (),
                      (id, name, framework, cluster, user, state, attempt, submitted, logs, results, tasks, finished,
                       exit_code, reason, cause, avoided, elastic, notice, progress, left_ms))

struct EventView {
  std::uint64_t seq = 0;
  core::WallTime time;
  core::Named<core::RecordKind> kind = core::RecordKind::note;
  std::optional<core::TaskId> task = {};
  std::optional<int> attempt = {};
  std::string text;
  std::optional<int> exit_code = {};
  std::optional<int> signal = {};
  std::optional<std::uint64_t> peak_memory = {};
  std::optional<core::Named<job::Cause>> cause = {};
  std::optional<std::string> node = {};
  std::optional<int> pid = {};
};
BOOST_DESCRIBE_STRUCT(EventView, (),
                      (seq, time, kind, task, attempt, text, exit_code, signal, peak_memory, cause, node, pid))

[[nodiscard]] boost::json::object to_json(const JobView& view);
[[nodiscard]] boost::json::object to_json(const EventView& view);
// Errors: corrupt, naming the key.
[[nodiscard]] core::Result<JobView> job_view_from_json(const boost::json::object& object);
[[nodiscard]] core::Result<EventView> event_view_from_json(const boost::json::object& object);

}  // namespace ydl::jobs
