#include "client/yarn/master_attempts.hpp"

#include <fmt/format.h>

namespace ydl::client {

void set_master_attempts(yarn::Submission& submission, backend::MasterKind kind) {
  submission.max_attempts = 1;
  if (!kMastersStartAgain || kind != backend::MasterKind::managed) return;
  submission.max_attempts = kMostMasterAttempts;
  submission.keep_containers = true;
  submission.failures_validity = kMasterFailuresCount;
}

core::Result<MasterLimit> master_limit(const hconf::Config& config) {
  constexpr std::string_view kGlobal = "yarn.resourcemanager.am.global.max-attempts";
  constexpr std::string_view kUsual = "yarn.resourcemanager.am.max-attempts";
  const auto key = config.is_set(kGlobal) ? kGlobal : kUsual;
  const auto attempts = config.get_int(key);
  if (!attempts) return core::fail(attempts.error());
  return MasterLimit{*attempts, std::string(key)};
}

core::Result<std::optional<std::string>> note_on_master_limit(const hconf::Config& config, backend::MasterKind kind) {
  if (!kMastersStartAgain || kind != backend::MasterKind::managed) return std::optional<std::string>{};
  const auto limit = master_limit(config);
  if (!limit) return core::fail(limit.error());
  if (limit->attempts != 1) return std::optional<std::string>{};
  return fmt::format("the cluster starts a master only once ({} is 1): if it is lost, the job fails", limit->key);
}

}  // namespace ydl::client
