#pragma once

#include "backend/yarn/yarn_job.hpp"
#include "hconf/config.hpp"
#include "yarn/submission.hpp"

#include <cstdint>
#include <optional>
#include <string>

// How often the ResourceManager may start the master of a job. Pure.
namespace ydl::client {

// If off, the job fails together with its master, and its containers end.
inline constexpr bool kMastersStartAgain = true;

// More than any cluster allows. The ResourceManager uses its own limit if a job requests more.
inline constexpr std::int32_t kMostMasterAttempts = 1000;
// Failures of a master that are older than this do not count towards the limit.
inline constexpr core::Millis kMasterFailuresCount = core::Seconds(600);

// A managed master is restarted and finds its containers again. A master on the client's host is not restarted.
void set_master_attempts(yarn::Submission& submission, backend::MasterKind kind);

// The limit in this machine's copy of the configuration, and the key that sets it.
struct MasterLimit {
  std::int64_t attempts = 0;
  std::string key;
};
// Errors: usage, if the value is not a number.
[[nodiscard]] core::Result<MasterLimit> master_limit(const hconf::Config& config);

// A note for the submission, if the cluster starts a master only once.
[[nodiscard]] core::Result<std::optional<std::string>> note_on_master_limit(const hconf::Config& config,
                                                                            backend::MasterKind kind);

}  // namespace ydl::client
