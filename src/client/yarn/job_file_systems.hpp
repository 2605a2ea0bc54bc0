#pragma once

#include "client/yarn/cluster_client.hpp"
#include "hconf/services.hpp"
#include "net/asio.hpp"
#include "spec/job_spec.hpp"
#include "yarn/credentials.hpp"

#include <string>
#include <vector>

// The file systems that a job uses, and the tokens with which its tasks reach them.
namespace ydl::client {

// One name service of a job, and what of the job names it: "--input hdfs://other/data".
struct JobFileSystem {
  hconf::NameService service;
  std::string named_by;
};

// Each name service once, the default one first. `results` is a URL or empty. Pure.
// Errors: usage, beginning with what names it.
[[nodiscard]] core::Result<std::vector<JobFileSystem>> file_systems_of(const hconf::Config& config,
                                                                       const spec::JobSpec& job,
                                                                       const std::string& results);

// Whether each of them answers us, and has what the job reads. Errors: HDFS's, beginning with what names it.
[[nodiscard]] net::Async<> check_file_systems(ClusterClient& cluster, const spec::JobSpec& job,
                                              std::vector<JobFileSystem> systems);

// One token for each, for the ResourceManager to renew; none on a cluster without Kerberos. Where the client itself
// has tokens and no ticket, it is those. The alias of a token is its other name (yarn::under_both_names).
[[nodiscard]] net::Async<yarn::Credentials> delegation_tokens(ClusterClient& cluster,
                                                              std::vector<JobFileSystem> systems);

// The credentials of a client's token file that a job may have, with the tokens of `systems` under both names, where
// `names` has the services that each can be called by, the one that Java looks for first. Pure.
// Errors: unauthenticated, naming the file system that has no token.
[[nodiscard]] core::Result<yarn::Credentials> tokens_for_job(const yarn::Credentials& own,
                                                             const std::vector<JobFileSystem>& systems,
                                                             const std::vector<std::vector<std::string>>& names);

}  // namespace ydl::client
