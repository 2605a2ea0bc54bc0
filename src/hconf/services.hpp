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
  bool is_logical = false;        // a name service: its name is no host
  std::vector<HostPort> servers;  // in the order of the configuration
  std::string token_service;      // "ha-hdfs:mycluster"; "" where it is the server's own address
};

// The authority of an hdfs:// URI: "mycluster", "host", "host:port". Errors: usage, naming the key that is missing.
[[nodiscard]] core::Result<NameService> name_service(const Config& config, std::string_view authority);

// The one of fs.defaultFS. Errors: usage when that is no HDFS.
[[nodiscard]] core::Result<NameService> default_name_service(const Config& config);

// One ResourceManager of the cluster.
struct ResourceManager {
  std::string id;  // "rm1"; "" where there is only one
  HostPort client;
  HostPort scheduler;
  HostPort web;
  bool has_https = false;  // of `web`
};

// All of them, in the order of yarn.resourcemanager.ha.rm-ids. Errors: usage, naming the key that is wrong or missing.
[[nodiscard]] core::Result<std::vector<ResourceManager>> resource_managers(const Config& config);

// Whether the files name a ResourceManager at all.
[[nodiscard]] bool names_resource_manager(const Config& config);

}  // namespace ydl::hconf
