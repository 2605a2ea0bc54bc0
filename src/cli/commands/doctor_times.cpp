// `ydl doctor`: how long it takes until a loss is noticed. From this machine's copy of the configuration; the
// ResourceManager's may differ.
#include "cli/commands/doctor.hpp"
#include "client/yarn/master_attempts.hpp"
#include "core/strings.hpp"
#include "spec/job_spec.hpp"

#include <fmt/format.h>

namespace ydl::cli {
namespace {

constexpr core::Millis kAgentSilence = core::Seconds(60);  // then an agent's task is revoked
constexpr const char* kHostExpiry = "yarn.nm.liveness-monitor.expiry-interval-ms";
constexpr const char* kMasterExpiry = "yarn.am.liveness-monitor.expiry-interval-ms";
constexpr const char* kCapacityWait = "yarn.resourcemanager.monitor.capacity.preemption.max_wait_before_kill";
constexpr const char* kFairWait = "yarn.scheduler.fair.waitTimeBeforeKill";

core::Result<std::string> time(const hconf::Config& config, const char* key) {
  const auto value = config.get_time(key, core::Millis(1));
  if (!value) return core::fail(value.error());
  return core::format_duration(*value);
}

// The ResourceManager looks for what is silent every third of the time.
core::Result<std::string> expiry(const hconf::Config& config, const char* key) {
  const auto value = config.get_time(key, core::Millis(1));
  if (!value) return core::fail(value.error());
  return fmt::format("{} to {} ({})", core::format_duration(*value), core::format_duration(*value + *value / 3), key);
}

core::Result<std::string> warning(const hconf::Config& config) {
  const auto capacity = time(config, kCapacityWait);
  if (!capacity) return core::fail(capacity.error());
  const auto fair = time(config, kFairWait);
  if (!fair) return core::fail(fair.error());
  if (*capacity == *fair) return *capacity;
  return fmt::format("{} (CapacityScheduler) or {} (FairScheduler)", *capacity, *fair);
}

Finding losses(const hconf::Config& config) {
  const auto host = expiry(config, kHostExpiry);
  if (!host) return {Verdict::broken, "losses", host.error().message};
  const auto warned = warning(config);
  if (!warned) return {Verdict::broken, "losses", warned.error().message};
  return {
      Verdict::good, "losses",
      fmt::format("ydl notices a lost host or agent after {}, YARN a lost host after {}; preemption is announced {} "
                  "before",
                  core::format_duration(kAgentSilence), *host, *warned)};
}

Finding masters(const hconf::Config& config) {
  const auto limit = client::master_limit(config);
  if (!limit) return {Verdict::broken, "masters", limit.error().message};
  const auto hung = expiry(config, kMasterExpiry);
  if (!hung) return {Verdict::broken, "masters", hung.error().message};
  if (limit->attempts == 1) {
    return {Verdict::limited, "masters",
            fmt::format("a job whose master is lost fails: the cluster starts it only once ({} is 1)", limit->key)};
  }
  return {Verdict::good, "masters",
          fmt::format("started up to {} times in {} ({}); one that hangs is noticed after {}; tasks go on without one "
                      "for {} (timeouts.orphan)",
                      limit->attempts, core::format_duration(client::kMasterFailuresCount), limit->key, *hung,
                      core::format_duration(spec::JobSpec{}.orphan_timeout))};
}

}  // namespace

std::vector<Finding> explain_times(const hconf::Config& config) {
  return {losses(config), masters(config)};
}

}  // namespace ydl::cli
