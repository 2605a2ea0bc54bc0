#pragma once

#include "backend/yarn/staged_job.hpp"
#include "core/result.hpp"
#include "yarn/records.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ydl::backend {

enum class MasterKind {
  managed,    // in a container of its own: it survives the client
  unmanaged,  // in a process beside the client
};

// What the master of a job on YARN must know beyond the job itself: `yarn.json` of its folder.
struct YarnJob {
  std::string application;  // "application_1700000000000_0012"
  MasterKind kind = MasterKind::managed;
  std::string user;
  std::string queue;
  std::string scheduler;                      // "CapacityScheduler"; empty: it did not say
  std::string folder;                         // the job's, on HDFS: "/user/NAME/.ydl/jobs/ID"
  std::string folder_url;                     // the same as people write it: "hdfs://ns/user/NAME/…"
  std::string results;                        // on HDFS: below it each task has a folder
  std::map<std::string, std::string> hadoop;  // the configuration the client found
  std::vector<yarn::NodeReport> nodes;        // when it was submitted: a master may not ask for them
  StagedJob staged;
};

[[nodiscard]] std::string to_json(const YarnJob& job);
// Errors: corrupt, and refused for a file of another version.
[[nodiscard]] core::Result<YarnJob> yarn_job_from_json(std::string_view text);

// What a file of any version has: enough to end the job. Every version keeps these two names.
struct YarnApplication {
  std::string application;                    // its id
  std::map<std::string, std::string> hadoop;  // hconf/portable.hpp
};
// Errors: corrupt.
[[nodiscard]] core::Result<YarnApplication> yarn_application_from_json(std::string_view text);

// Where an attempt's logs are, below the job's folder on HDFS. As in a job folder of this machine.
[[nodiscard]] std::string remote_logs(const std::string& folder, const core::AttemptId& attempt);

}  // namespace ydl::backend
