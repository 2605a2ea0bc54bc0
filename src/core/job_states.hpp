#pragma once

#include "core/enum_names.hpp"

#include <optional>

// The states of a job and of its tasks, and the kinds of its records. The master decides them; files, the HTTP API and
// clients use these names.
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
  lost,  // set by clients when the master ended before the job; a master never reports it
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
  absent,  // only in an elastic role, which currently continues without this task
};
template <>
struct EnumNames<TaskState> {
  static constexpr auto kNames = names_up_to(TaskState::absent, "waiting", "placed", "starting", "running", "stopping",
                                             "succeeded", "failed", "stopped", "lost", "absent");
};

// The kinds of records in a job's event stream, which has every change of the job in order.
enum class RecordKind {
  job_created,    // the user gave the command (only on clusters, where the master starts later)
  job_submitted,  // the cluster accepted the job
  job_master_up,  // the master started
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
  task_joined,  // elastic roles: the job continues with this task
  task_absent,  // elastic roles: the job continues without this task
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

// Whether this state is the last one that a master reports. JobState::lost is not: a lost job has no reported end.
[[nodiscard]] bool is_final(JobState state);
[[nodiscard]] bool is_final(TaskState state);

// An unknown state of another version counts as not final.
template <NamedEnum E>
[[nodiscard]] bool is_final(const Named<E>& state) {
  return state.value() && is_final(*state.value());
}

// The state that a record announces: JobState::running for job_running, nothing for task_retry.
[[nodiscard]] std::optional<JobState> job_state_of(RecordKind kind);
[[nodiscard]] std::optional<TaskState> task_state_of(RecordKind kind);

}  // namespace ydl::core
