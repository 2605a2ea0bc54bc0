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
  managed,    // in its own container, which survives the client
  unmanaged,  // in a process on the client's host
};

// What the master of a job on YARN needs in addition to the job itself: `yarn.json` in its folder.
struct YarnJob {
  std::string application;  // "application_1700000000000_0012"
  MasterKind kind = MasterKind::managed;
  std::string user;
  std::string queue;
  std::string scheduler;                      // "CapacityScheduler"; empty if it is unknown
  std::string folder;                         // of the job in HDFS: "/user/NAME/.ydl/jobs/ID"
  std::string folder_url;                     // the same as a URL: "hdfs://ns/user/NAME/…"
  std::string results;                        // in HDFS; each task has a folder below it
  std::map<std::string, std::string> hadoop;  // the client's configuration
  std::vector<yarn::NodeReport> nodes;        // at submission, because a master may not request this list
  StagedJob staged;
};

[[nodiscard]] std::string to_json(const YarnJob& job);
// Errors: corrupt; refused, if the file has another version.
[[nodiscard]] core::Result<YarnJob> yarn_job_from_json(std::string_view text);

// The members that a file of any version has, which are enough to kill the job. They must never be renamed.
struct YarnApplication {
  std::string application;                    // its id
  std::map<std::string, std::string> hadoop;  // hconf/portable.hpp
};
// Errors: corrupt.
[[nodiscard]] core::Result<YarnApplication> yarn_application_from_json(std::string_view text);

// The path of an attempt's logs relative to the job's folder in HDFS. It is the same as in a job folder of this
// machine.
[[nodiscard]] std::string remote_logs(const std::string& folder, const core::AttemptId& attempt);

}  // namespace ydl::backend
