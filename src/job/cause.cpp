#include "job/cause.hpp"

namespace ydl::job {

Judgement judge(Cause cause) {
  using Charge = Judgement::Charge;
  switch (cause) {
    case Cause::cannot_start:
    case Cause::not_executable:
      return {.may_help = false};
    // The scheduler moves containers between queues as part of its normal work, so this is not a failure of the task.
    case Cause::preempted:
      return {.charge = Charge::never, .backs_off = false};
    case Cause::host_lost:
    case Cause::agent_lost:
      return {.charge = Charge::when_frequent, .backs_off = false, .blames_host = true};
    case Cause::decommissioned:
      return {.charge = Charge::when_frequent, .backs_off = false};
    case Cause::cluster:
    case Cause::stopped:
      return {.charge = Charge::when_frequent};
    case Cause::disk:
      return {.charge = Charge::when_frequent, .blames_host = true};
    // These may be errors of the host or of the job, and cannot be told apart: the job pays a retry, and the next
    // attempt goes to another host.
    case Cause::start_failed:
    case Cause::files:
    case Cause::timeout:
      return {.blames_host = true};
    case Cause::none:
    case Cause::exit_code:
    case Cause::signal:
    case Cause::memory:
    case Cause::results:
    case Cause::port_taken:
    case Cause::no_capacity:
    case Cause::hung:
      return {};
  }
  return {};
}

}  // namespace ydl::job
