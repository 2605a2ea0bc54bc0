#pragma once

#include "core/clock.hpp"
#include "core/result.hpp"
#include "yarn/ids.hpp"
#include "yarn/launch_context.hpp"
#include "yarn/resource.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hadoop::yarn {
class ApplicationSubmissionContextProto;
}

namespace ydl::yarn {

// An application to be submitted.
struct Submission {
  ApplicationId id = {};
  std::string name = {};
  std::string queue = "default";
  std::string type = "YDL";            // at most 20 characters
  std::vector<std::string> tags = {};  // at most 10, lower case, printable ASCII, at most 100 characters each
  std::optional<std::int32_t> priority = std::nullopt;  // a higher number is more important; the cluster limits it
  // also for an unmanaged master, because of its credentials and ACLs
  Launch master = {};
  Resource master_resource = {};
  std::string master_label = {};  // empty: the default partition of the queue
  // true: the master runs outside YARN, which starts nothing
  bool unmanaged = false;
  std::int32_t max_attempts = 0;                                 // 0: the cluster's default
  bool keep_containers = false;                                  // keep them when the master fails and is restarted
  std::optional<core::Millis> failures_validity = std::nullopt;  // failures of the master older than this do not count
  // after this time the ResourceManager kills the application
  std::optional<core::Seconds> lifetime = std::nullopt;
  bool cancel_tokens_when_complete = true;  // false if other jobs use them too
  LogAggregation logs = {};
};

// Errors: usage, for values that the ResourceManager would refuse or truncate.
[[nodiscard]] core::Result<hadoop::yarn::ApplicationSubmissionContextProto> submission_context(
    const Submission& submission);

}  // namespace ydl::yarn
