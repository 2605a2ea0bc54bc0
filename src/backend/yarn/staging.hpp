#pragma once

#include "backend/packing/python_env.hpp"
#include "backend/yarn/staged_job.hpp"
#include "hdfs/file_system.hpp"
#include "net/asio.hpp"
#include "spec/job_spec.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

namespace ydl::backend {

struct StagingProgress {
  std::uint64_t bytes = 0;  // total bytes to upload
  std::uint64_t bytes_done = 0;
  std::size_t files = 0;
  std::size_t files_done = 0;
};

struct StagingOptions {
  std::string
      job_folder;  // in HDFS; the list of cached files (StagedList) is written there before the cache is searched
  std::string application;  // of the job, if it is already known
  std::string root;         // "/user/NAME/.ydl"
  std::string site_root;    // a cache for all users, or empty
  std::string site_owner;   // the owner of that cache; empty: the owner of "/"
  std::string user;         // the owner of uploaded files
  std::string url_prefix;   // "hdfs://mycluster"
  std::string executable = "/proc/self/exe";
  std::filesystem::path hash_file = {};  // of HashMemory; empty: all files are read each time
  int nodes = 1;                         // in the cluster; more nodes need more replicas
  std::uint32_t most_replicas = 512;     // dfs.replication.max
  std::optional<PythonEnv> python_env = std::nullopt;
  std::function<void(const StagingProgress&)> progress = {};  // called only during uploads
  std::function<void(const std::string&)> say = {};           // what is uploaded, before it is
  std::stop_token stop = {};                                  // after a request uploads stop and are removed
};

// The number of replicas for a file that all nodes read at about the same time.
[[nodiscard]] std::uint32_t replicas_for(int nodes, std::uint32_t usual, std::uint32_t most);

// Uploads the files that the job's containers need to the cache in HDFS, except those that are already there. Any
// number of submitters may do this at the same time.
//
//   ROOT/cache/sha256/HASH/NAME     written under another name and then renamed; never changed later
//
// The jobs of one user share the user's cache, and all users share the site's cache. Jobs of its owner fill the site's
// cache, and it is trusted only if no other user can write to it (SiteFiles).
// Errors: those of plan_staging; a file that changes meanwhile; those of HDFS; cancelled.
[[nodiscard]] net::Async<StagedJob> stage_job(hdfs::FileSystem& fs, const spec::JobSpec& job, StagingOptions options);

}  // namespace ydl::backend
