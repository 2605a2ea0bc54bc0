#pragma once

#include "core/ids.hpp"
#include "core/result.hpp"
#include "job/types.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <boost/json/fwd.hpp>

// What an agent tells its master.
namespace ydl::protocol {

struct Prepared {
  core::AttemptId attempt;
  std::vector<std::uint16_t> ports;
};

struct PrepareFailed {
  core::AttemptId attempt;
  std::string reason;
  job::Cause cause = job::Cause::files;
  bool on_every_host = false;  // what it needs exists nowhere: no other host could prepare it
};

struct TaskStarted {
  core::AttemptId attempt;
  int pid = 0;
};

struct TaskStartFailed {
  core::AttemptId attempt;
  job::Cause cause = job::Cause::start_failed;  // as in job::StartFailed
  std::string reason;
};

// The task's process has ended and its results are being saved; said every few seconds until TaskExited.
struct TaskSaving {
  core::AttemptId attempt;
};

struct TaskExited {
  core::AttemptId attempt;
  job::ExitStatus status;
  int leftovers = 0;    // processes the task left behind, which were killed
  std::string problem;  // why its results are not where they should be: whatever its status, its work is lost
};

// What the task last said; sent when it changes, not for every line.
struct TaskOutput {
  core::AttemptId attempt;
  std::string last_line;
  std::optional<double> progress;
  std::string progress_text;
};

// A sentence for the user.
struct Note {
  core::AttemptId attempt;
  std::string text;
};

// The answer to ReadLog.
struct LogPiece {
  core::AttemptId attempt;
  std::uint64_t token = 0;
  std::uint64_t offset = 0;  // of the first byte
  std::uint64_t size = 0;    // of the log now; smaller than the offset when the task cut it
  std::string bytes;
  std::string problem;  // why there are none
};

using Report = std::variant<Prepared, PrepareFailed, TaskStarted, TaskStartFailed, TaskSaving, TaskExited, TaskOutput,
                            Note, LogPiece>;

[[nodiscard]] boost::json::object to_json(const Report& report);
[[nodiscard]] core::Result<Report> report_from_json(const boost::json::object& object);

}  // namespace ydl::protocol
