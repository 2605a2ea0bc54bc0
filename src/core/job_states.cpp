#include "core/job_states.hpp"

namespace ydl::core {
namespace {

// The record of a new state has the name of the state after a prefix: "job_running", "task_lost".
template <class State>
std::optional<State> state_after(std::string_view prefix, RecordKind kind) {
  const auto text = name(kind);
  return text.starts_with(prefix) ? parse_name<State>(text.substr(prefix.size())) : std::nullopt;
}

}  // namespace

bool is_final(JobState state) {
  return state == JobState::succeeded || state == JobState::failed || state == JobState::stopped;
}

bool is_final(TaskState state) {
  return state == TaskState::succeeded || state == TaskState::failed || state == TaskState::stopped ||
         state == TaskState::lost || state == TaskState::absent;
}

std::optional<JobState> job_state_of(RecordKind kind) {
  return state_after<JobState>("job_", kind);
}

std::optional<TaskState> task_state_of(RecordKind kind) {
  return state_after<TaskState>("task_", kind);
}

}  // namespace ydl::core
