#pragma once

#include "core/result.hpp"
#include "core/user.hpp"

#include <functional>
#include <string>
#include <vector>

namespace ydl::cli {

// Where a job runs and why: the first line a user sees.
struct Where {
  std::string cluster;   // "local"
  std::string sentence;  // "runs on this machine: no Hadoop configuration was found (…)"
};

using ReadFile = std::function<core::Result<std::string>(const std::string& path)>;
[[nodiscard]] core::Result<std::string> read_small_file(const std::string& path);

// Chooses the cluster for --cluster's value. `cluster_only` are the options given that only a cluster understands: they
// are never dropped without a word. Errors: usage.
[[nodiscard]] core::Result<Where> choose_cluster(const std::string& wanted,
                                                 const std::vector<std::string>& cluster_only,
                                                 const core::Getenv& getenv = core::process_getenv,
                                                 const ReadFile& read_file = read_small_file);

}  // namespace ydl::cli
