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
  std::uint64_t bytes = 0;  // to be uploaded
  std::uint64_t bytes_done = 0;
  std::size_t files = 0;
  std::size_t files_done = 0;
};

struct StagingOptions {
  std::string job_folder;   // in HDFS: gets the list of what the job uses, before anything is looked for (StagedList)
  std::string application;  // the job's, if it is known by then
  std::string root;         // "/user/NAME/.ydl"
  std::string site_root;    // a cache for everybody, or empty
  std::string site_owner;   // the user who owns that cache; empty: whoever owns "/"
  std::string user;         // who owns what is uploaded
  std::string url_prefix;   // "hdfs://mycluster"
  std::string executable = "/proc/self/exe";
  std::filesystem::path hash_file = {};  // HashMemory's; empty: everything is read each time
  int nodes = 1;                         // of the cluster: more replicas for more readers
  std::uint32_t most_replicas = 512;     // dfs.replication.max
  std::optional<PythonEnv> python_env = std::nullopt;
  std::function<void(const StagingProgress&)> progress = {};  // only while something is uploaded
  std::stop_token stop = {};                                  // when it is requested, uploads end and are removed
};

// How often a file is stored that every node reads at about the same time.
[[nodiscard]] std::uint32_t replicas_for(int nodes, std::uint32_t usual, std::uint32_t most);

// Brings everything the job's containers need to the cache in HDFS, as far as it is not there. Any number of submitters
// may do so at once.
//
//   ROOT/cache/sha256/HASH/NAME     written under another name, then renamed; never changed again
//
// Everything is shared between the jobs of one user; what the site's cache has, between all users of a node. That one
// is filled by its owner's jobs and trusted only where nobody else can write (SiteFiles).
// Errors: those of plan_staging; a file that changes meanwhile; HDFS's; cancelled.
[[nodiscard]] net::Async<StagedJob> stage_job(hdfs::FileSystem& fs, const spec::JobSpec& job, StagingOptions options);

}  // namespace ydl::backend
