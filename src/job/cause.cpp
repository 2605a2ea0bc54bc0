#include "job/cause.hpp"

#include <algorithm>
#include <array>

namespace ydl::job {
namespace {

constexpr std::array<std::string_view, kCauses> kNames{
    "none",       "exit_code", "signal",         "memory",     "cannot_start", "start_failed",
    "files",      "results",   "disk",           "port_taken", "no_capacity",  "host_lost",
    "agent_lost", "preempted", "decommissioned", "cluster",    "timeout",      "stopped"};

}  // namespace

std::string_view name(Cause cause) {
  return kNames.at(static_cast<std::size_t>(cause));
}

std::optional<Cause> parse_cause(std::string_view name) {
  const auto* const found = std::ranges::find(kNames, name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Cause>(found - kNames.begin());
}

bool may_help_to_retry(Cause cause) {
  return cause != Cause::cannot_start;
}

}  // namespace ydl::job
