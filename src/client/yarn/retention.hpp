#pragma once

#include "backend/yarn/kept_jobs.hpp"
#include "client/yarn/cluster_client.hpp"

#include <string>
#include <vector>

// How long the folders of jobs are kept in HDFS.
namespace ydl::client {

// The applications of the user. Errors: those of the ResourceManager.
[[nodiscard]] net::Async<backend::Applications> applications_of(ClusterClient& cluster);

enum class Removal { real, dry_run };

// Removes the folders of ended jobs that have not changed for the given time, or only finds them. Returns their ids.
// Nothing is removed if it is unknown which jobs run.
[[nodiscard]] net::Async<std::vector<std::string>> remove_old_jobs(ClusterClient& cluster, core::Millis keep,
                                                                   Removal removal);

}  // namespace ydl::client
