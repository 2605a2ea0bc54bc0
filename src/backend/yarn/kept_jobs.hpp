#pragma once

#include "core/clock.hpp"
#include "hdfs/file_system.hpp"
#include "net/asio.hpp"

#include <set>
#include <string>
#include <vector>

// The folders of jobs on HDFS, and which of them have been kept long enough.
namespace ydl::backend {

struct KeptJob {
  std::string id;
  std::string application;  // "application_…"; empty: the job was never submitted
  core::WallTime touched;   // when the folder last changed: with the start of the job and with its end
};

// What the ResourceManager says of a user's applications. Of those that ended long ago it knows nothing.
struct Applications {
  std::set<std::string> running;
  std::set<std::string> over;
};

struct KeepRule {
  core::WallTime now;
  core::Millis keep{0};
};

// ROOT/jobs/*, those that were not touched for `rule.keep`. Errors: HDFS's, and a list of a job's files that cannot be
// understood.
[[nodiscard]] net::Async<std::vector<KeptJob>> list_old_jobs(hdfs::FileSystem& fs, std::string root, KeepRule rule);

// Which of them may go: never one that runs, nor one that may just be on its way to the ResourceManager. Pure.
[[nodiscard]] std::vector<KeptJob> outlived(const std::vector<KeptJob>& jobs, const Applications& applications,
                                            const KeepRule& rule);

}  // namespace ydl::backend
