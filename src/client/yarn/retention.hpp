#pragma once

#include "backend/yarn/kept_jobs.hpp"
#include "client/yarn/cluster_client.hpp"

#include <string>
#include <vector>

// How long the folders of jobs stay on HDFS.
namespace ydl::client {

// Of the user. Errors: the ResourceManager's.
[[nodiscard]] net::Async<backend::Applications> applications_of(ClusterClient& cluster);

enum class Removal { real, dry_run };

// Removes the folders of jobs that have not been touched for so long and do not run, or only finds them. Returns their
// ids; nothing is removed where it is not known which jobs run.
[[nodiscard]] net::Async<std::vector<std::string>> remove_old_jobs(ClusterClient& cluster, core::Millis keep,
                                                                   Removal removal);

}  // namespace ydl::client
