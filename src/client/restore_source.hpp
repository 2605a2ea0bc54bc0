#pragma once

#include "client/yarn/cluster_client.hpp"
#include "core/result.hpp"
#include "jobs/job_folder.hpp"
#include "net/asio.hpp"

#include <string>

// Finds the folders of the job that --restore-from names.
namespace ydl::client {

// For a job of this machine. Errors: usage (there is no such job, or it ran on a cluster).
[[nodiscard]] core::Result<jobs::RestoreFolders> restore_from_here(const std::string& job);

// For a job of this user on the cluster, by its id or that of its application, also if it was submitted from another
// machine. Errors: usage (there is no such job, or it ran on this machine or on another cluster); those of the cluster.
[[nodiscard]] net::Async<jobs::RestoreFolders> restore_from_cluster(ClusterClient& cluster, std::string job);

}  // namespace ydl::client
