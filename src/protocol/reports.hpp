#pragma once

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "core/metrics.hpp"
#include "core/result.hpp"
#include "job/types.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <boost/describe/class.hpp>
#include <boost/json/fwd.hpp>

// What an agent reports to its master.
namespace ydl::protocol {

struct Prepared {
  core::AttemptId attempt;
  std::vector<std::uint16_t> ports;
};
BOOST_DESCRIBE_STRUCT(Prepared, (), (attempt, ports))

struct PrepareFailed {
  core::AttemptId attempt;
  std::string reason;
  job::Cause cause = job::Cause::files;
  bool on_every_host = false;  // an input does not exist, so no other host could prepare the task either
};
BOOST_DESCRIBE_STRUCT(PrepareFailed, (), (attempt, reason, cause, on_every_host))

struct TaskStarted {
  core::AttemptId attempt;
  int pid = 0;
};
BOOST_DESCRIBE_STRUCT(TaskStarted, (), (attempt, pid))

struct TaskStartFailed {
  core::AttemptId attempt;
  job::Cause cause = job::Cause::start_failed;  // as in job::StartFailed
  std::string reason;
};
BOOST_DESCRIBE_STRUCT(TaskStartFailed, (), (attempt, cause, reason))

// The task's process has ended and its results are being saved. Repeated every few seconds until TaskExited.
struct TaskSaving {
  core::AttemptId attempt;
};
BOOST_DESCRIBE_STRUCT(TaskSaving, (), (attempt))

struct TaskExited {
  core::AttemptId attempt;
  job::ExitStatus status;
  int leftovers = 0;    // processes that the task left running; the agent killed them
  std::string problem;  // why its results could not be saved; empty if they were
};
BOOST_DESCRIBE_STRUCT(TaskExited, (), (attempt, status, leftovers, problem))

// The attempt was released, or its agent was told to shut down, and none of its processes runs any more.
struct TaskGone {
  core::AttemptId attempt;
};
BOOST_DESCRIBE_STRUCT(TaskGone, (), (attempt))

// What the task has written so far is saved. The task continues.
struct TaskSaved {
  core::AttemptId attempt;
};
BOOST_DESCRIBE_STRUCT(TaskSaved, (), (attempt))

// The task has written nothing for Prepare::stall_timeout; TaskWrites reports that it writes again.
struct TaskSilent {
  core::AttemptId attempt;
};
BOOST_DESCRIBE_STRUCT(TaskSilent, (), (attempt))
struct TaskWrites {
  core::AttemptId attempt;
};
BOOST_DESCRIBE_STRUCT(TaskWrites, (), (attempt))

// The last line and the progress of the task, and what its processes use. Sent when they change, but not for every
// line.
struct TaskOutput {
  core::AttemptId attempt;
  std::string last_line;
  std::optional<double> progress;
  std::string progress_text;
  std::optional<int> cpu_percent = {};             // 100: one core
  std::optional<std::uint64_t> memory_bytes = {};  // of all its processes
  std::optional<core::Millis> quiet_ms = {};       // since its log last grew
  std::optional<core::Metrics> metrics = {};
};
BOOST_DESCRIBE_STRUCT(TaskOutput, (),
                      (attempt, last_line, progress, progress_text, cpu_percent, memory_bytes, quiet_ms, metrics))

// A sentence for the user.
struct Note {
  core::AttemptId attempt;
  std::string text;
};
BOOST_DESCRIBE_STRUCT(Note, (), (attempt, text))

// From the scheduler that runs in the attempt's agent: a sentence for the user, and why the job cannot continue.
struct SchedulerNote {
  core::AttemptId attempt;
  std::string text;
};
BOOST_DESCRIBE_STRUCT(SchedulerNote, (), (attempt, text))
struct SchedulerBroken {
  core::AttemptId attempt;
  std::string reason;
};
BOOST_DESCRIBE_STRUCT(SchedulerBroken, (), (attempt, reason))

// Arbitrary bytes, which are base64 in JSON.
struct Bytes {
  std::string data;
};

// The answer to ReadLog.
struct LogPiece {
  core::AttemptId attempt;
  std::uint64_t token = 0;
  std::uint64_t offset = 0;  // of the first byte
  std::uint64_t size = 0;    // of the log now; smaller than the offset if the task has truncated it
  Bytes bytes;
  std::string problem;  // why there are no bytes; empty without an error
};
BOOST_DESCRIBE_STRUCT(LogPiece, (), (attempt, token, offset, size, bytes, problem))

using Report =
    std::variant<Prepared, PrepareFailed, TaskStarted, TaskStartFailed, TaskSaving, TaskSaved, TaskSilent, TaskWrites,
                 TaskExited, TaskGone, TaskOutput, Note, SchedulerNote, SchedulerBroken, LogPiece>;

// Reports of the scheduler are not about the attempt's task, and may come after the task has ended.
[[nodiscard]] inline bool is_of_scheduler(const Report& report) {
  return std::holds_alternative<SchedulerNote>(report) || std::holds_alternative<SchedulerBroken>(report);
}

[[nodiscard]] boost::json::object to_json(const Report& report);
[[nodiscard]] core::Result<Report> report_from_json(const boost::json::object& object);

}  // namespace ydl::protocol
