#pragma once

#include "client/yarn/job_file_systems.hpp"

#include <map>
#include <string>
#include <vector>

// How the ResourceManager reaches the NameNodes whose tokens it renews for a job.
namespace ydl::client {

// The name services of all of a job's tokens, the default one first: those that the job names, and those of the
// client's own tokens that the configuration knows. Pure.
[[nodiscard]] std::vector<hconf::NameService> services_with_tokens(const hconf::Config& config,
                                                                   const std::vector<JobFileSystem>& systems,
                                                                   const yarn::Credentials& own);

// What a Hadoop client needs to renew tokens of all these services, where one that is not the default is known by a
// name only (`ha-hdfs:NAME`): the ResourceManager may not know it. Empty otherwise: it uses its own configuration.
// Pure.
[[nodiscard]] std::map<std::string, std::string> renewal_settings(const hconf::Config& config,
                                                                  const std::vector<hconf::NameService>& services);

// The same as bytes for the submission. Errors: usage, where they are more than a ResourceManager takes.
[[nodiscard]] core::Result<std::string> renewal_conf(const hconf::Config& config,
                                                     const std::vector<hconf::NameService>& services);

}  // namespace ydl::client
