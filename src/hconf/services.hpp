#pragma once

#include "core/result.hpp"
#include "hconf/config.hpp"
#include "hconf/host_port.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ydl::hconf {

// One HDFS: a NameNode, or the NameNodes of a name service.
struct NameService {
  std::string name;               // "nn1.example.org:8020", or "mycluster"
  bool is_logical = false;        // whether the name is that of a name service, not of a host
  std::vector<HostPort> servers;  // the NameNodes, in the order of the configuration
  // the service in delegation tokens: "ha-hdfs:mycluster"; "" means the address of the server
  std::string token_service;
};

// The HDFS for the authority of an hdfs:// URI: "mycluster", "host", "host:port". Errors: usage, with the missing key.
[[nodiscard]] core::Result<NameService> name_service(const Config& config, std::string_view authority);

// The HDFS in fs.defaultFS. Errors: usage, when it is another kind of file system.
[[nodiscard]] core::Result<NameService> default_name_service(const Config& config);

// One ResourceManager of the cluster.
struct ResourceManager {
  std::string id;  // "rm1"; "" if there is only one
  HostPort client;
  HostPort scheduler;
  HostPort web;
  bool has_https = false;  // whether `web` is an HTTPS address
};

// All ResourceManagers, in the order of yarn.resourcemanager.ha.rm-ids. Errors: usage, with the key that is wrong or
// missing.
[[nodiscard]] core::Result<std::vector<ResourceManager>> resource_managers(const Config& config);

// Whether the configuration names a ResourceManager.
[[nodiscard]] bool names_resource_manager(const Config& config);

}  // namespace ydl::hconf
