#include "job/types.hpp"

#include "core/strings.hpp"

#include <cstring>

#include <fmt/format.h>

namespace ydl::job {
namespace {

std::string signal_name(int signal) {
  const char* abbreviation = ::sigabbrev_np(signal);
  return abbreviation == nullptr ? fmt::format("signal {}", signal)
                                 : fmt::format("signal {} (SIG{})", signal, abbreviation);
}

}  // namespace

Cause cause_of(const ExitStatus& status) {
  if (status.cause != Cause::none) return status.cause;
  if (status.out_of_memory) return Cause::memory;
  if (status.signal != 0) return Cause::signal;
  return status.code == 0 ? Cause::none : Cause::exit_code;
}

std::string describe(const ExitStatus& status) {
  if (status.out_of_memory) {
    // The kernel enforces its limit exactly. A NodeManager only samples usage, so a task can exceed its limit before
    // it is killed.
    const bool went_over = !status.killer.empty() && status.peak_memory > status.memory_limit;
    return fmt::format(
        "ran out of memory: it {} its limit of {}; raise the limit with --resource ROLE:memory=SIZE",
        went_over ? fmt::format("used {}, more than", core::format_bytes(status.peak_memory)) : "reached",
        core::format_bytes(status.memory_limit));
  }
  if (!status.killer.empty()) return fmt::format("was killed by {}", status.killer);
  const auto* const after = status.cause == Cause::preempted ? " after its warning" : "";
  if (status.signal != 0) return fmt::format("was killed by {}{}", signal_name(status.signal), after);
  if (status.code == 0 && status.cause != Cause::preempted) return "succeeded";
  return fmt::format("{} {}{}", status.code == 0 ? "ended with exit code" : "failed with exit code", status.code,
                     after);
}

}  // namespace ydl::job
