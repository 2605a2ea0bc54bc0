#pragma once

#include "client/yarn/job_file_systems.hpp"

#include <map>
#include <string>
#include <vector>

// The configuration with which the ResourceManager reaches the NameNodes whose tokens it renews for a job.
namespace ydl::client {

// The name services of all tokens of a job, the default one first: those that the job names, and those of the client's
// own tokens that are in the configuration. Pure.
[[nodiscard]] std::vector<hconf::NameService> services_with_tokens(const hconf::Config& config,
                                                                   const std::vector<JobFileSystem>& systems,
                                                                   const yarn::Credentials& own);

// The configuration that a Hadoop client needs to renew tokens of all these services. It is only needed if a service
// other than the default one has only a logical name (`ha-hdfs:NAME`), which the ResourceManager's configuration may
// lack. Otherwise it is empty, and the ResourceManager uses its own configuration. Pure.
[[nodiscard]] std::map<std::string, std::string> renewal_settings(const hconf::Config& config,
                                                                  const std::vector<hconf::NameService>& services);

// The same as bytes for the submission. Errors: usage, if they exceed the ResourceManager's limit.
[[nodiscard]] core::Result<std::string> renewal_conf(const hconf::Config& config,
                                                     const std::vector<hconf::NameService>& services);

}  // namespace ydl::client
