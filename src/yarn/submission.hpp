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

// An application as a client submits it.
struct Submission {
  ApplicationId id = {};
  std::string name = {};
  std::string queue = "default";
  std::string type = "YDL";            // at most 20 characters
  std::vector<std::string> tags = {};  // at most 10, lower case, printable ASCII, at most 100 characters each
  std::optional<std::int32_t> priority = std::nullopt;  // higher is more important; the cluster has a maximum
  Launch master = {};                                   // also of an unmanaged one: its credentials and ACLs count
  Resource master_resource = {};
  std::string master_label = {};                                 // empty: the queue's default partition
  bool unmanaged = false;                                        // we are the master: nothing is started
  std::int32_t max_attempts = 0;                                 // 0: the cluster's
  bool keep_containers = false;                                  // when the master fails and is started again
  std::optional<core::Millis> failures_validity = std::nullopt;  // older failures of the master do not count
  std::optional<core::Seconds> lifetime = std::nullopt;          // the ResourceManager kills it after that
  bool cancel_tokens_when_complete = true;                       // false where other jobs use them too
  LogAggregation logs = {};
};

// Errors: usage, for what the ResourceManager would refuse or cut short.
[[nodiscard]] core::Result<hadoop::yarn::ApplicationSubmissionContextProto> submission_context(
    const Submission& submission);

}  // namespace ydl::yarn
