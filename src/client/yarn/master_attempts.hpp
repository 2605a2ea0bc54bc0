#pragma once

#include "backend/yarn/yarn_job.hpp"
#include "hconf/config.hpp"
#include "yarn/submission.hpp"

#include <cstdint>
#include <optional>
#include <string>

// How often the ResourceManager starts the master of a job. Pure.
namespace ydl::client {

// Off: a job fails with its master, and its containers end.
inline constexpr bool kMastersStartAgain = true;

// More than any cluster allows: the ResourceManager takes its own limit where a job asks for more.
inline constexpr std::int32_t kMostMasterAttempts = 1000;
// Failures of a master that are older do not count against that limit.
inline constexpr core::Millis kMasterFailuresCount = core::Seconds(600);

// A managed master is started again, and finds its containers. One beside its client ends with it: nobody would start
// it again.
void set_master_attempts(yarn::Submission& submission, backend::MasterKind kind);

// The limit by this machine's copy of the configuration, and which key sets it.
struct MasterLimit {
  std::int64_t attempts = 0;
  std::string key;
};
// Errors: usage, for a value that is not a number.
[[nodiscard]] core::Result<MasterLimit> master_limit(const hconf::Config& config);

// What should be known at submission, where the cluster starts a master only once.
[[nodiscard]] core::Result<std::optional<std::string>> note_on_master_limit(const hconf::Config& config,
                                                                            backend::MasterKind kind);

}  // namespace ydl::client
