#include "hdfs/configured.hpp"

#include "hconf/named_services.hpp"
#include "hconf/reader.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include <fmt/format.h>

namespace ydl::hdfs {
namespace {

using hconf::Reader;

ReplaceOptions replacement(Reader& read) {
  constexpr std::string_view kPolicy = "dfs.client.block.write.replace-datanode-on-failure.policy";
  ReplaceOptions options{
      .enabled = read.config().get_bool("dfs.client.block.write.replace-datanode-on-failure.enable"),
      .best_effort = read.config().get_bool("dfs.client.block.write.replace-datanode-on-failure.best-effort")};
  const std::string policy = read.config().get_trimmed(kPolicy);
  if (policy == "NEVER") {
    options.policy = ReplaceOptions::Policy::never;
  } else if (policy == "ALWAYS") {
    options.policy = ReplaceOptions::Policy::always;
  } else if (policy != "DEFAULT") {
    read.wrong(kPolicy, "DEFAULT, NEVER or ALWAYS");
  }
  return options;
}

std::uint32_t umask(Reader& read) {
  constexpr std::string_view kKey = "fs.permissions.umask-mode";
  const std::string text = read.config().get_trimmed(kKey);
  std::uint32_t mask = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), mask, 8);
  if (error != std::errc{} || end != text.data() + text.size() || mask > 0777) {
    read.wrong(kKey, "an octal number such as 022");
  }
  return mask;
}

// A number, only if a site file sets it. Otherwise the default of the NameNode is used instead of our compiled-in one.
template <class To>
std::optional<To> chosen(Reader& read, std::string_view key, std::int64_t least, std::int64_t most) {
  if (!read.config().is_set(key)) return std::nullopt;
  const auto value = read.bytes(key);
  if (value < least || value > most) read.wrong(key, fmt::format("{} to {}", least, most));
  return static_cast<To>(value);
}

std::optional<ChecksumType> checksum_type(Reader& read) {
  constexpr std::string_view kKey = "dfs.checksum.type";
  if (!read.config().is_set(kKey)) return std::nullopt;
  const std::string type = read.config().get_trimmed(kKey);
  if (type == "CRC32") return ChecksumType::crc32;
  if (type == "NULL") return ChecksumType::none;
  if (type != "CRC32C") read.wrong(kKey, "CRC32C, CRC32 or NULL");
  return ChecksumType::crc32c;
}

TransferOptions transfer(Reader& read) {
  const auto& config = read.config();
  TransferOptions options{.use_hostname = config.get_bool("dfs.client.use.datanode.hostname"),
                          .socket_timeout = read.millis("dfs.client.socket-timeout"),
                          .write_timeout = read.millis("dfs.datanode.socket.write.timeout")};
  const auto suites = config.get_list("dfs.encrypt.data.transfer.cipher.suites");
  options.offer_aes = std::ranges::count(suites, "AES/CTR/NoPadding") > 0;
  options.datanode_principal = config.get_trimmed("dfs.datanode.kerberos.principal");
  // Without Kerberos there are no block tokens, and the handshake needs one.
  if (config.get_trimmed("hadoop.security.authentication") == "kerberos") {
    options.protections = hrpc::protections("dfs.data.transfer.protection", read);
  }
  return options;
}

}  // namespace

core::Result<Options> configured(const hconf::Config& all, const hconf::NameService& service,
                                 const hrpc::Credentials& credentials) {
  const auto config = hconf::for_service(all, service);
  constexpr std::int64_t kMaxPacket = std::int64_t{16} << 20U;  // the limit of DataNodes
  auto namenode = hrpc::name_node_options(config, service, credentials);
  if (!namenode) return core::fail(namenode.error());
  Reader read(config);
  Options options{
      .namenode = std::move(*namenode),
      .authority = service.name,
      .transfer = transfer(read),
      .replace = replacement(read),
      .umask = umask(read),
      .replication = chosen<std::uint32_t>(read, "dfs.replication", 1, std::numeric_limits<std::int16_t>::max()),
      .block_size = chosen<std::uint64_t>(read, "dfs.blocksize", 1, std::numeric_limits<std::int64_t>::max()),
      .packet_bytes = chosen<std::uint32_t>(read, "dfs.client-write-packet-size", 1024, kMaxPacket),
      .checksum_type = checksum_type(read),
      .chunk_bytes = chosen<std::uint32_t>(read, "dfs.bytes-per-checksum", 1, kMaxPacket),
      .trash_interval = read.take(config.get_time("fs.trash.interval", std::chrono::minutes(1)))};
  options.block_write_retries = read.count("dfs.client.block.write.retries");
  options.locate_block_retries = read.count("dfs.client.block.write.locateFollowingBlock.retries");
  options.locate_block_delay = read.millis("dfs.client.block.write.locateFollowingBlock.initial.delay.ms");
  options.acquire_block_failures = read.count("dfs.client.max.block.acquire.failures");
  return read.finish(std::move(options));
}

core::Result<Options> configured(const hconf::Config& config, const hrpc::Credentials& credentials) {
  const auto service = hconf::default_name_service(config);
  if (!service) return core::fail(service.error());
  return configured(config, *service, credentials);
}

}  // namespace ydl::hdfs
