#include "hdfs/configured.hpp"

#include "core/strings.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace ydl::hdfs {
namespace {

using hconf::Config;

std::unexpected<core::Error> wrong(const Config& config, std::string_view key, std::string_view may) {
  return core::fail(core::Errc::usage, fmt::format("{}: {} has '{}'; it may be {}", config.source_of(key), key,
                                                   core::printable(config.get_trimmed(key)), may));
}

core::Result<std::vector<hrpc::Protection>> data_protections(const Config& config) {
  constexpr std::string_view kKey = "dfs.data.transfer.protection";
  std::vector<hrpc::Protection> protections;
  for (const auto& word : config.get_list(kKey)) {
    if (word == "authentication") {
      protections.push_back(hrpc::Protection::authentication);
    } else if (word == "integrity") {
      protections.push_back(hrpc::Protection::integrity);
    } else if (word == "privacy") {
      protections.push_back(hrpc::Protection::privacy);
    } else {
      return wrong(config, kKey, "authentication, integrity or privacy");
    }
  }
  return protections;
}

core::Result<ReplaceOptions> replacement(const Config& config) {
  constexpr std::string_view kPolicy = "dfs.client.block.write.replace-datanode-on-failure.policy";
  ReplaceOptions options{
      .enabled = config.get_bool("dfs.client.block.write.replace-datanode-on-failure.enable"),
      .best_effort = config.get_bool("dfs.client.block.write.replace-datanode-on-failure.best-effort")};
  const std::string policy = config.get_trimmed(kPolicy);
  if (policy == "NEVER") {
    options.policy = ReplaceOptions::Policy::never;
  } else if (policy == "ALWAYS") {
    options.policy = ReplaceOptions::Policy::always;
  } else if (policy != "DEFAULT") {
    return wrong(config, kPolicy, "DEFAULT, NEVER or ALWAYS");
  }
  return options;
}

core::Result<std::uint32_t> umask(const Config& config) {
  constexpr std::string_view kKey = "fs.permissions.umask-mode";
  const std::string text = config.get_trimmed(kKey);
  std::uint32_t mask = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), mask, 8);
  if (error != std::errc{} || end != text.data() + text.size() || mask > 0777) {
    return wrong(config, kKey, "an octal number such as 022");
  }
  return mask;
}

// A number the user has chosen; where nobody has, the NameNode's own default counts.
core::Result<std::optional<std::int64_t>> chosen(const Config& config, std::string_view key, std::int64_t least) {
  if (!config.is_set(key)) return std::nullopt;
  const auto value = config.get_bytes(key);
  if (!value) return core::fail(value.error());
  if (*value < least) return wrong(config, key, fmt::format("{} or more", least));
  return *value;
}

template <class To>
std::optional<To> as(const std::optional<std::int64_t>& value) {
  return value ? std::optional(static_cast<To>(*value)) : std::nullopt;
}

core::Result<TransferOptions> transfer(const Config& config) {
  constexpr core::Millis kMillisecond{1};
  const auto socket_timeout = config.get_time("dfs.client.socket-timeout", kMillisecond);
  if (!socket_timeout) return core::fail(socket_timeout.error());
  const auto write_timeout = config.get_time("dfs.datanode.socket.write.timeout", kMillisecond);
  if (!write_timeout) return core::fail(write_timeout.error());
  TransferOptions options{.use_hostname = config.get_bool("dfs.client.use.datanode.hostname"),
                          .socket_timeout = *socket_timeout,
                          .write_timeout = *write_timeout};
  const auto suites = config.get_list("dfs.encrypt.data.transfer.cipher.suites");
  options.offer_aes = std::ranges::count(suites, "AES/CTR/NoPadding") > 0;
  // Without Kerberos there are no block tokens to prove anything with.
  if (config.get_trimmed("hadoop.security.authentication") == "kerberos") {
    auto protections = data_protections(config);
    if (!protections) return core::fail(protections.error());
    options.protections = std::move(*protections);
  }
  return options;
}

}  // namespace

core::Result<Options> configured(const Config& config, const hconf::NameService& service,
                                 const hrpc::Credentials& credentials) {
  Options options;
  auto namenode = hrpc::name_node_options(config, service, credentials);
  if (!namenode) return core::fail(namenode.error());
  options.namenode = std::move(*namenode);
  options.authority = service.name;
  auto connections = transfer(config);
  if (!connections) return core::fail(connections.error());
  options.transfer = std::move(*connections);
  const auto replace = replacement(config);
  if (!replace) return core::fail(replace.error());
  options.replace = *replace;
  const auto mask = umask(config);
  if (!mask) return core::fail(mask.error());
  options.umask = *mask;
  const auto replication = chosen(config, "dfs.replication", 1);
  if (!replication) return core::fail(replication.error());
  options.replication = as<std::uint32_t>(*replication);
  const auto block_size = chosen(config, "dfs.blocksize", 1);
  if (!block_size) return core::fail(block_size.error());
  options.block_size = as<std::uint64_t>(*block_size);
  const auto packet = chosen(config, "dfs.client-write-packet-size", 1024);
  if (!packet) return core::fail(packet.error());
  options.packet_bytes = as<std::uint32_t>(*packet);
  const auto retries = config.get_int("dfs.client.block.write.retries");
  if (!retries) return core::fail(retries.error());
  options.block_write_retries = static_cast<int>(std::clamp<std::int64_t>(*retries, 0, 1000));
  const auto trash = config.get_time("fs.trash.interval", std::chrono::minutes(1));
  if (!trash) return core::fail(trash.error());
  options.trash_interval = *trash;
  return options;
}

}  // namespace ydl::hdfs
