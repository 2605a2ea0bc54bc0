#include "client/yarn/renewal_conf.hpp"

#include "core/strings.hpp"
#include "hconf/named_services.hpp"
#include "yarn/writable_codec.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ydl::client {
namespace {

constexpr std::string_view kPairs = "ha-hdfs:";
constexpr std::string_view kPrincipal = "dfs.namenode.kerberos.principal";
constexpr std::string_view kPattern = "dfs.namenode.kerberos.principal.pattern";
constexpr std::string_view kProtection = "hadoop.rpc.protection";
constexpr std::string_view kMaxBytes = "yarn.resourcemanager.delegation-token.max-conf-size-bytes";
constexpr std::string_view kUsualProvider = "org.apache.hadoop.hdfs.server.namenode.ha.ConfiguredFailoverProxyProvider";

void add_once(std::vector<std::string>& words, std::string word) {
  if (!word.empty() && std::ranges::find(words, word) == words.end()) words.push_back(std::move(word));
}

// The servers of a name service.
void add_servers(std::map<std::string, std::string>& settings, const hconf::Config& config,
                 const hconf::NameService& service) {
  const auto ids = config.get_list(fmt::format("dfs.ha.namenodes.{}", service.name));
  const auto provider = fmt::format("dfs.client.failover.proxy.provider.{}", service.name);
  settings[fmt::format("dfs.ha.namenodes.{}", service.name)] = fmt::format("{}", fmt::join(ids, ","));
  settings[provider] = config.is_set(provider) ? config.get_trimmed(provider) : kUsualProvider;
  for (std::size_t i = 0; i < ids.size() && i < service.servers.size(); ++i) {
    settings[fmt::format("dfs.namenode.rpc-address.{}.{}", service.name, ids[i])] = to_string(service.servers[i]);
  }
}

// The pattern for the principal of a server: the configured one, or its principal on any host.
std::string glob_of(const hconf::Config& config) {
  auto pattern = config.get_trimmed(kPattern);
  if (!pattern.empty()) return pattern;
  auto principal = config.get_trimmed(kPrincipal);
  constexpr std::string_view kHost = "_HOST";
  if (const auto at = principal.find(kHost); at != std::string::npos) principal.replace(at, kHost.size(), "*");
  return principal;
}

// Java's client has one principal and one protection for all NameNodes. If those of the services differ, the
// configuration contains all of them.
void add_identities(std::map<std::string, std::string>& settings, const hconf::Config& config,
                    const std::vector<hconf::NameService>& services) {
  std::vector<std::string> principals;
  std::vector<std::string> globs;
  std::vector<std::string> protections;
  bool has_pattern = false;
  for (const auto& service : services) {
    const auto own = hconf::for_service(config, service);
    add_once(principals, own.get_trimmed(kPrincipal));
    add_once(globs, glob_of(own));
    has_pattern = has_pattern || !own.get_trimmed(kPattern).empty();
    for (auto& protection : own.get_list(kProtection)) add_once(protections, std::move(protection));
  }
  if (!principals.empty()) settings[std::string(kPrincipal)] = principals.front();
  if (globs.size() == 1 && has_pattern) settings[std::string(kPattern)] = globs.front();
  if (globs.size() > 1) settings[std::string(kPattern)] = fmt::format("{{{}}}", fmt::join(globs, ","));
  settings[std::string(kProtection)] = fmt::format("{}", fmt::join(protections, ","));
}

bool is_pair(const hconf::NameService& service) {
  return !service.token_service.empty();
}

}  // namespace

std::vector<hconf::NameService> services_with_tokens(const hconf::Config& config,
                                                     const std::vector<JobFileSystem>& systems,
                                                     const yarn::Credentials& own) {
  std::vector<hconf::NameService> services;
  for (const auto& system : systems) services.push_back(system.service);
  for (const auto& [alias, token] : own.tokens) {
    if (token.kind != hrpc::kHdfsToken || !token.service.starts_with(kPairs)) continue;
    auto service = hconf::name_service(config, std::string_view(token.service).substr(kPairs.size()));
    if (!service || !is_pair(*service)) continue;
    if (std::ranges::find(services, service->name, &hconf::NameService::name) == services.end())
      services.push_back(*std::move(service));
  }
  return services;
}

std::map<std::string, std::string> renewal_settings(const hconf::Config& config,
                                                    const std::vector<hconf::NameService>& services) {
  std::map<std::string, std::string> settings;
  if (services.empty() || std::ranges::none_of(services.begin() + 1, services.end(), is_pair)) return settings;
  std::vector<std::string> names;
  for (const auto& service : services) {
    if (!is_pair(service)) continue;
    names.push_back(service.name);
    add_servers(settings, config, service);
  }
  settings["dfs.nameservices"] = fmt::format("{}", fmt::join(names, ","));
  settings["hadoop.security.authentication"] = config.get_trimmed("hadoop.security.authentication");
  add_identities(settings, config, services);
  return settings;
}

core::Result<std::string> renewal_conf(const hconf::Config& config, const std::vector<hconf::NameService>& services) {
  const auto settings = renewal_settings(config, services);
  if (settings.empty()) return std::string();
  const auto limit = config.get_int(kMaxBytes);
  if (!limit) return core::fail(limit.error());
  auto bytes = yarn::encode_configuration(settings);
  if (static_cast<std::int64_t>(bytes.size()) <= *limit) return bytes;
  return core::fail(core::Errc::usage,
                    fmt::format("the job has tokens for {} HDFS clusters, and the addresses that the ResourceManager "
                                "needs to renew them have {} bytes, more than the {} bytes of {}: name fewer file "
                                "systems, or raise that limit on the ResourceManager and in this configuration",
                                services.size(), bytes.size(), *limit, kMaxBytes));
}

}  // namespace ydl::client
