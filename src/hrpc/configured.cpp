#include "hrpc/configured.hpp"

#include "core/strings.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace ydl::hrpc {
namespace {

using core::Millis;
using hconf::Reader;

constexpr Millis kNoTimeout = std::chrono::hours(1);  // used where Hadoop would wait without a limit
constexpr int kManyTimes = 1'000'000;

Security security(Reader& read) {
  constexpr std::string_view kKey = "hadoop.security.authentication";
  const auto word = read.config().get_trimmed(kKey);
  if (word == "kerberos") return Security::kerberos;
  // The value "token" appears in the configuration of NodeManagers, for their own RPC port.
  if (word != "simple" && word != "token") read.wrong(kKey, "simple or kerberos");
  return Security::simple;
}

ClientOptions common(const Credentials& credentials, Reader& read) {
  const auto& config = read.config();
  ClientOptions options;
  options.identity = {.user = credentials.user,
                      .real_user = credentials.real_user,
                      .security = security(read),
                      .kerberos = credentials.kerberos,
                      .fallback_to_simple = config.get_bool("ipc.client.fallback-to-simple-auth-allowed"),
                      .protections = protections("hadoop.rpc.protection", read)};
  options.connect_timeout = read.millis("ipc.client.connect.timeout");
  options.call_timeout = read.millis("ipc.client.rpc-timeout.ms");
  if (options.call_timeout <= Millis(0)) options.call_timeout = kNoTimeout;
  options.ping_interval = read.millis("ipc.ping.interval");
  options.idle_close = read.millis("ipc.client.connection.maxidletime");
  options.max_response = static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(read.bytes("ipc.maximum.response.length"), 1, std::numeric_limits<std::int32_t>::max()));
  options.retry.max_retries = read.count("ipc.client.connect.max.retries");
  options.retry.same_server_pause = read.millis("ipc.client.connect.retry.interval");
  return options;
}

// hdfs-default.xml has the pattern "*", which would accept any service of the realm as the NameNode. Only a pattern
// from a site file is used, because our table of defaults has none.
void expect_principal(Identity& identity, const hconf::Config& config, std::string_view key) {
  identity.principal_key = key;
  identity.server_principal = config.get_trimmed(key);
  identity.principal_pattern = config.get_trimmed(fmt::format("{}.pattern", key));
}

// The number of tries that fit into `max_wait`. In Hadoop a negative value means no limit.
int tries(Millis max_wait, Millis interval) {
  if (max_wait < Millis(0) || interval <= Millis(0)) return kManyTimes;
  return static_cast<int>(std::min<std::int64_t>(max_wait / interval, kManyTimes));
}

}  // namespace

std::vector<Protection> protections(std::string_view key, Reader& read) {
  std::vector<Protection> allowed;
  for (const auto& word : read.config().get_list(key)) {
    if (word == "authentication") {
      allowed.push_back(Protection::authentication);
    } else if (word == "integrity") {
      allowed.push_back(Protection::integrity);
    } else if (word == "privacy") {
      allowed.push_back(Protection::privacy);
    } else {
      read.wrong(key, "authentication, integrity or privacy");
    }
  }
  return allowed;
}

std::optional<Token> select_token(std::span<const Token> tokens, std::string_view kind, std::string_view service) {
  const auto is_kind = [&](const Token& token) { return token.kind == kind; };
  const auto exact = std::ranges::find_if(
      tokens, [&](const Token& token) { return is_kind(token) && !service.empty() && token.service == service; });
  if (exact != tokens.end()) return *exact;
  const auto first = std::ranges::find_if(tokens, is_kind);
  if (first == tokens.end()) return std::nullopt;
  const auto is_another = [&](const Token& token) { return is_kind(token) && token.identifier != first->identifier; };
  if (std::ranges::any_of(tokens, is_another)) return std::nullopt;
  return *first;
}

core::Result<ClientOptions> name_node_options(const hconf::Config& config, const hconf::NameService& service,
                                              const Credentials& credentials) {
  Reader read(config);
  ClientOptions options = common(credentials, read);
  options.servers = service.servers;
  options.random_first = config.get_bool("dfs.client.failover.random.order");
  expect_principal(options.identity, config, "dfs.namenode.kerberos.principal");
  const auto token_service = service.token_service.empty() ? service.name : service.token_service;
  options.identity.token = select_token(credentials.tokens, kHdfsToken, token_service);
  options.retry.max_failovers = read.count("dfs.client.failover.max.attempts");
  options.retry.backoff_base = read.millis("dfs.client.failover.sleep.base.millis");
  options.retry.backoff_max = read.millis("dfs.client.failover.sleep.max.millis");
  if (service.servers.size() > 1) options.retry.max_retries = read.count("dfs.client.retry.max.attempts");
  return read.finish(std::move(options));
}

core::Result<ClientOptions> resource_manager_options(const hconf::Config& config, std::vector<hconf::HostPort> servers,
                                                     std::string_view token_kind, const Credentials& credentials) {
  Reader read(config);
  ClientOptions options = common(credentials, read);
  expect_principal(options.identity, config, "yarn.resourcemanager.principal");
  options.identity.token =
      select_token(credentials.tokens, token_kind, servers.empty() ? "" : to_string(servers.front()));
  const auto interval = read.millis("yarn.resourcemanager.connect.retry-interval.ms");
  const auto max_wait = read.millis("yarn.resourcemanager.connect.max-wait.ms");
  const auto base = read.millis("yarn.client.failover-sleep-base-ms");
  const auto longest = read.millis("yarn.client.failover-sleep-max-ms");
  const auto failovers = read.count("yarn.client.failover-max-attempts");
  options.retry.backoff_base = base < Millis(0) ? interval : base;
  options.retry.backoff_max = longest < Millis(0) ? interval : longest;
  options.retry.max_failovers = failovers < 0 ? tries(max_wait, options.retry.backoff_base) : failovers;
  options.retry.max_retries = tries(max_wait, interval);
  options.retry.same_server_pause = interval;
  options.servers = std::move(servers);
  return read.finish(std::move(options));
}

core::Result<ClientOptions> node_manager_options(const hconf::Config& config, hconf::HostPort server, Token token,
                                                 const Credentials& credentials) {
  Reader read(config);
  ClientOptions options = common(credentials, read);
  options.servers = {std::move(server)};
  options.identity.token = std::move(token);
  const auto interval = read.millis("yarn.client.nodemanager-connect.retry-interval-ms");
  const auto max_wait = read.millis("yarn.client.nodemanager-connect.max-wait-ms");
  options.retry.max_retries = tries(max_wait, interval);
  options.retry.same_server_pause = interval;
  if (max_wait >= Millis(0)) options.retry.patience = max_wait;
  return read.finish(std::move(options));
}

}  // namespace ydl::hrpc
