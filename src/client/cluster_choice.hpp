#pragma once

#include "core/cluster_kind.hpp"
#include "core/result.hpp"
#include "core/user.hpp"
#include "hconf/load.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ydl::client {

// The options of the command line about where a job runs.
struct ClusterRequest {
  std::optional<core::Named<core::ClusterKind>> cluster = {};  // --cluster; nothing: auto
  std::string resource_manager = {};                           // -hip
  std::string default_fs = {};                                 // --default-fs
  std::vector<std::string> cluster_only;                       // the options given that only a cluster understands
};

// Where a job runs and why. It is the first line that a user sees.
struct ClusterChoice {
  core::ClusterKind cluster = core::ClusterKind::local;
  std::string sentence;                                // "runs on this machine: no Hadoop configuration was found (…)"
  std::optional<hconf::Config> hadoop = std::nullopt;  // of a cluster
  std::string guessed_fs = {};                         // the HDFS, where nothing names it: that of -hip's host
};

// Chooses the cluster. Options that only apply to a cluster are an error elsewhere.
// Errors: usage; errors of the configuration.
[[nodiscard]] core::Result<ClusterChoice> choose_cluster(const ClusterRequest& request,
                                                         const core::Getenv& getenv = core::process_getenv,
                                                         const hconf::ReadFile& read_file = hconf::read_config_file);

// The error of a step on that cluster. If it comes from a guessed file system, it names the guess and --default-fs.
[[nodiscard]] core::Error with_guess(core::Error error, const ClusterChoice& choice);

}  // namespace ydl::client
