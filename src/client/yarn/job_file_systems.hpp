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

// A name service of a job, and the option that names it: "--input hdfs://other/data".
struct JobFileSystem {
  hconf::NameService service;
  std::string named_by;
};

// All name services without duplicates, the default one first. `results` is a URL or empty. Pure.
// Errors: usage, beginning with the option.
[[nodiscard]] core::Result<std::vector<JobFileSystem>> file_systems_of(const hconf::Config& config,
                                                                       const spec::JobSpec& job,
                                                                       const std::string& results);

// Checks that each file system answers and has the job's inputs. Errors: those of HDFS, beginning with the option.
[[nodiscard]] net::Async<> check_file_systems(ClusterClient& cluster, const spec::JobSpec& job,
                                              std::vector<JobFileSystem> systems);

// One token for each file system, which the ResourceManager renews; none on a cluster without Kerberos. If the client
// has tokens but no ticket, its tokens are used. The alias of a token is its other name (yarn::under_both_names).
[[nodiscard]] net::Async<yarn::Credentials> delegation_tokens(ClusterClient& cluster,
                                                              std::vector<JobFileSystem> systems);

// The credentials in a client's token file that a job may have, with the tokens of `systems` under both names. `names`
// has the service names of each, first the one that Java looks for. Pure. Errors: unauthenticated, naming the file
// system that has no token.
[[nodiscard]] core::Result<yarn::Credentials> tokens_for_job(const yarn::Credentials& own,
                                                             const std::vector<JobFileSystem>& systems,
                                                             const std::vector<std::vector<std::string>>& names);

}  // namespace ydl::client
