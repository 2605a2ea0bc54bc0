#pragma once

#include "core/enum_names.hpp"

#include <optional>

// The states of a job and of its tasks and the kinds of its records, as the master decides them, files and the API
// spell them, and clients show them.
namespace ydl::core {

enum class JobState {
  placing,
  starting,
  running,
  finishing,
  stopping,
  restarting,
  succeeded,
  failed,
  stopped,
  lost,  // what clients conclude where its master ended before the job did; no master says it
};
template <>
struct EnumNames<JobState> {
  static constexpr auto kNames = names_up_to(JobState::lost, "placing", "starting", "running", "finishing", "stopping",
                                             "restarting", "succeeded", "failed", "stopped", "lost");
};

enum class TaskState {
  waiting,
  placed,
  starting,
  running,
  stopping,
  succeeded,
  failed,
  stopped,
  lost,
  absent,  // of an elastic role, which goes on without it now
};
template <>
struct EnumNames<TaskState> {
  static constexpr auto kNames = names_up_to(TaskState::absent, "waiting", "placed", "starting", "running", "stopping",
                                             "succeeded", "failed", "stopped", "lost", "absent");
};

// What people and programs follow: every change of the job, in order.
enum class RecordKind {
  job_created,    // where a master is not there at once: when the command was given,
  job_submitted,  // when the cluster had it,
  job_master_up,  // when the master began
  job_placing,
  job_running,
  job_finishing,
  job_stopping,
  job_restarting,
  job_succeeded,
  job_failed,
  job_stopped,
  task_granted,
  task_reached,
  task_placed,
  task_waiting,
  task_starting,
  task_running,
  task_stopping,
  task_succeeded,
  task_failed,
  task_stopped,
  task_lost,
  task_retry,
  task_warned,  // its container will be taken away
  task_joined,  // of an elastic role: the job goes on with it
  task_absent,  // and without it
  host_avoided,
  host_forgiven,
  note,
};
template <>
struct EnumNames<RecordKind> {
  static constexpr auto kNames =
      names_up_to(RecordKind::note, "job_created", "job_submitted", "job_master_up", "job_placing", "job_running",
                  "job_finishing", "job_stopping", "job_restarting", "job_succeeded", "job_failed", "job_stopped",
                  "task_granted", "task_reached", "task_placed", "task_waiting", "task_starting", "task_running",
                  "task_stopping", "task_succeeded", "task_failed", "task_stopped", "task_lost", "task_retry",
                  "task_warned", "task_joined", "task_absent", "host_avoided", "host_forgiven", "note");
};

// Whether the master has told the end: no other state follows. A job that is lost has no such end.
[[nodiscard]] bool is_final(JobState state);
[[nodiscard]] bool is_final(TaskState state);

// A state of another version is not known to be final.
template <NamedEnum E>
[[nodiscard]] bool is_final(const Named<E>& state) {
  return state.value() && is_final(*state.value());
}

// The state that a record tells of: job_running is JobState::running, and task_retry is not a state.
[[nodiscard]] std::optional<JobState> job_state_of(RecordKind kind);
[[nodiscard]] std::optional<TaskState> task_state_of(RecordKind kind);

}  // namespace ydl::core
