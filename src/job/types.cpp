#include "job/types.hpp"

#include "core/strings.hpp"

#include <array>
#include <cstring>

#include <fmt/format.h>

namespace ydl::job {
namespace {

constexpr std::array kJobStates{"placing",    "starting",  "running", "finishing", "stopping",
                                "restarting", "succeeded", "failed",  "stopped"};
constexpr std::array kTaskStates{"waiting",   "placed", "starting", "running", "stopping",
                                 "succeeded", "failed", "stopped",  "lost"};
constexpr std::array kRecordKinds{
    "job_created",    "job_submitted",  "job_master_up", "job_placing",   "job_running",  "job_finishing",
    "job_stopping",   "job_restarting", "job_succeeded", "job_failed",    "job_stopped",  "task_granted",
    "task_reached",   "task_placed",    "task_waiting",  "task_starting", "task_running", "task_stopping",
    "task_succeeded", "task_failed",    "task_stopped",  "task_lost",     "task_retry",   "note"};
constexpr std::array kRoleKinds{"decider", "service", "side", "evaluator"};

std::string signal_name(int signal) {
  const char* abbreviation = ::sigabbrev_np(signal);
  return abbreviation == nullptr ? fmt::format("signal {}", signal)
                                 : fmt::format("signal {} (SIG{})", signal, abbreviation);
}

}  // namespace

std::string_view name(JobState state) {
  return kJobStates.at(static_cast<std::size_t>(state));
}
std::string_view name(TaskState state) {
  return kTaskStates.at(static_cast<std::size_t>(state));
}
std::string_view name(RecordKind kind) {
  return kRecordKinds.at(static_cast<std::size_t>(kind));
}
std::string_view name(RoleKind kind) {
  return kRoleKinds.at(static_cast<std::size_t>(kind));
}

bool is_final(JobState state) {
  return state == JobState::succeeded || state == JobState::failed || state == JobState::stopped;
}

bool is_final(TaskState state) {
  return state == TaskState::succeeded || state == TaskState::failed || state == TaskState::stopped ||
         state == TaskState::lost;
}

Cause cause_of(const ExitStatus& status) {
  if (status.cause != Cause::none) return status.cause;
  if (status.out_of_memory) return Cause::memory;
  if (status.signal != 0) return Cause::signal;
  return status.code == 0 ? Cause::none : Cause::exit_code;
}

std::string describe(const ExitStatus& status) {
  if (status.out_of_memory) {
    // The kernel lets nobody pass a limit; who looks at processes from time to time does.
    const bool went_over = !status.killer.empty() && status.peak_memory > status.memory_limit;
    return fmt::format(
        "ran out of memory: it {} its limit of {}; ask for more with --resource ROLE:memory=SIZE",
        went_over ? fmt::format("used {} and so passed", core::format_bytes(status.peak_memory)) : "reached",
        core::format_bytes(status.memory_limit));
  }
  if (!status.killer.empty()) return fmt::format("was killed by {}", status.killer);
  if (status.signal != 0) return fmt::format("was ended by {}", signal_name(status.signal));
  if (status.code == 0) return "ended well";
  return fmt::format("ended with code {}", status.code);
}

}  // namespace ydl::job
