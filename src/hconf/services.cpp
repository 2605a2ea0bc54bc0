#include "hconf/services.hpp"

#include "core/strings.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace ydl::hconf {
namespace {

constexpr std::uint16_t kNameNodePort = 8020;
constexpr std::string_view kDefaultFs = "fs.defaultFS";

core::Error missing(std::string_view key, std::string_view why) {
  return {core::Errc::usage, fmt::format("{} is not set, but {}: add it to Hadoop's configuration", key, why)};
}

core::Result<HostPort> address(const Config& config, const std::string& key, std::uint16_t default_port) {
  auto parsed = parse_host_port(config.get_trimmed(key), default_port);
  if (!parsed) return core::fail(std::move(parsed).error().within(fmt::format("{}: {}", config.source_of(key), key)));
  return parsed;
}

bool contains(const std::vector<std::string>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

core::Result<NameService> logical_service(const Config& config, const std::string& name) {
  NameService service{.name = name, .is_logical = true, .servers = {}, .token_service = "ha-hdfs:" + name};
  const auto ids_key = fmt::format("dfs.ha.namenodes.{}", name);
  const auto ids = config.get_list(ids_key);
  std::vector<std::string> keys;
  for (const auto& id : ids) keys.push_back(fmt::format("dfs.namenode.rpc-address.{}.{}", name, id));
  // A name service without HA has a single NameNode, which has no id.
  if (ids.empty()) keys.push_back(fmt::format("dfs.namenode.rpc-address.{}", name));
  for (const auto& key : keys) {
    if (!config.is_set(key)) {
      return core::fail(missing(key, ids.empty() ? fmt::format("the name service {} needs it (or {})", name, ids_key)
                                                 : fmt::format("{} needs it", config.source_of(ids_key))));
    }
    auto server = address(config, key, kNameNodePort);
    if (!server) return core::fail(std::move(server).error());
    service.servers.push_back(*std::move(server));
  }
  if (ids.empty()) service.token_service.clear();
  return service;
}

struct RmPort {
  std::string_view key;
  std::uint16_t port;
};
constexpr RmPort kClient{"yarn.resourcemanager.address", 8032};
constexpr RmPort kScheduler{"yarn.resourcemanager.scheduler.address", 8030};
constexpr RmPort kWeb{"yarn.resourcemanager.webapp.address", 8088};
constexpr RmPort kWebHttps{"yarn.resourcemanager.webapp.https.address", 8090};

// With an id, the address is in <key>.<id>; if that is not set, the host is in hostname.<id> and the port is the
// default one.
core::Result<HostPort> rm_address(const Config& config, const RmPort& what, const std::string& id) {
  if (id.empty()) return address(config, std::string(what.key), what.port);
  const auto key = fmt::format("{}.{}", what.key, id);
  if (config.is_set(key)) return address(config, key, what.port);
  const auto host_key = fmt::format("yarn.resourcemanager.hostname.{}", id);
  if (!config.is_set(host_key)) {
    return core::fail(
        missing(key, fmt::format("yarn.resourcemanager.ha.rm-ids names {}, which needs it (or {})", id, host_key)));
  }
  return HostPort{config.get_trimmed(host_key), what.port};
}

core::Result<ResourceManager> resource_manager(const Config& config, const std::string& id) {
  ResourceManager manager{.id = id, .client = {}, .scheduler = {}, .web = {}};
  manager.has_https = config.get_trimmed("yarn.http.policy") == "HTTPS_ONLY";
  const std::array<std::pair<HostPort*, const RmPort*>, 3> parts{
      {{&manager.client, &kClient},
       {&manager.scheduler, &kScheduler},
       {&manager.web, manager.has_https ? &kWebHttps : &kWeb}}};
  for (const auto& [part, what] : parts) {
    auto server = rm_address(config, *what, id);
    if (!server) return core::fail(std::move(server).error());
    *part = *std::move(server);
  }
  return manager;
}

}  // namespace

core::Result<NameService> name_service(const Config& config, std::string_view authority) {
  const std::string name(authority);
  if (contains(config.get_list("dfs.nameservices"), name) ||
      config.is_set(fmt::format("dfs.client.failover.proxy.provider.{}", name))) {
    return logical_service(config, name);
  }
  auto server = parse_host_port(authority, kNameNodePort);
  if (!server) return core::fail(std::move(server).error());
  return NameService{.name = to_string(*server), .is_logical = false, .servers = {*server}, .token_service = {}};
}

core::Result<NameService> default_name_service(const Config& config) {
  const auto uri = config.get_trimmed(kDefaultFs);
  constexpr std::string_view kScheme = "hdfs://";
  if (!uri.starts_with(kScheme)) {
    return core::fail(core::Errc::usage,
                      fmt::format("{} is '{}' ({}), which is not an hdfs:// address; write the whole address, for "
                                  "example hdfs://namenode:8020/path, or set fs.defaultFS in core-site.xml",
                                  kDefaultFs, core::printable(uri), config.source_of(kDefaultFs)));
  }
  const std::string_view rest = std::string_view(uri).substr(kScheme.size());
  auto service = name_service(config, rest.substr(0, rest.find('/')));
  if (service) return service;
  return core::fail(std::move(service).error().within(
      fmt::format("{} is '{}' ({})", kDefaultFs, core::printable(uri), config.source_of(kDefaultFs))));
}

core::Result<std::vector<ResourceManager>> resource_managers(const Config& config) {
  std::vector<std::string> ids = {""};
  if (config.get_bool("yarn.resourcemanager.ha.enabled")) {
    ids = config.get_list("yarn.resourcemanager.ha.rm-ids");
    if (ids.empty()) {
      return core::fail(missing("yarn.resourcemanager.ha.rm-ids", "yarn.resourcemanager.ha.enabled is true"));
    }
  }
  std::vector<ResourceManager> managers;
  for (const auto& id : ids) {
    auto manager = resource_manager(config, id);
    if (!manager) return core::fail(std::move(manager).error());
    managers.push_back(*std::move(manager));
  }
  return managers;
}

bool names_resource_manager(const Config& config) {
  return config.is_set("yarn.resourcemanager.hostname") || config.is_set("yarn.resourcemanager.address") ||
         config.is_set("yarn.resourcemanager.ha.rm-ids");
}

}  // namespace ydl::hconf
