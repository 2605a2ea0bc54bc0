#pragma once

#include "core/clock.hpp"
#include "hdfs/file_system.hpp"
#include "net/asio.hpp"

#include <set>
#include <string>
#include <vector>

// Finds the folders of jobs in HDFS that have been kept long enough.
namespace ydl::backend {

struct KeptJob {
  std::string id;
  std::string application;  // "application_…"; empty: the job was never submitted
  core::WallTime touched;   // when the folder last changed, which is at the start or at the end of the job
};

// A user's applications as the ResourceManager lists them. Those that ended long ago are missing.
struct Applications {
  std::set<std::string> running;
  std::set<std::string> over;
};

struct KeepRule {
  core::WallTime now;
  core::Millis keep{0};
};

// The folders in ROOT/jobs that have not changed for `rule.keep`. Errors: those of HDFS; a list of a job's files that
// cannot be parsed.
[[nodiscard]] net::Async<std::vector<KeptJob>> list_old_jobs(hdfs::FileSystem& fs, std::string root, KeepRule rule);

// The folders that may be removed: not those of running jobs, nor of jobs that may just be submitted. Pure.
[[nodiscard]] std::vector<KeptJob> outlived(const std::vector<KeptJob>& jobs, const Applications& applications,
                                            const KeepRule& rule);

}  // namespace ydl::backend
