#include "agent/container_credentials.hpp"

#include "core/described_json.hpp"
#include "core/files.hpp"
#include "hconf/portable.hpp"
#include "hdfs/configured.hpp"
#include "net/endpoint_file.hpp"
#include "yarn/configured.hpp"

#include <fmt/format.h>

namespace ydl::agent {
namespace {

constexpr int kVersion = 1;
constexpr std::size_t kLargestFile = std::size_t{16} << 20U;

struct SecretRecord {
  std::string address;
  std::uint16_t port = 0;
  std::string secret;
  std::string user;
  std::map<std::string, std::string> hadoop;
};
BOOST_DESCRIBE_STRUCT(SecretRecord, (), (address, port, secret, user, hadoop))

core::Result<std::optional<hdfs::Options>> hdfs_options(const AgentSecret& secret,
                                                        const yarn::Credentials& credentials) {
  if (secret.hadoop.empty()) return std::nullopt;
  const auto config = hconf::from_map(secret.hadoop, "the job's configuration");
  const auto tokens = yarn::tokens_of(credentials);
  auto options = hdfs::configured(config, {.user = secret.user, .tokens = tokens});
  if (!options) return core::fail(options.error());
  return *std::move(options);
}

core::Result<AgentCredentials> from_container(std::string_view bytes) {
  const auto credentials = yarn::decode_credentials(bytes);
  if (!credentials) return core::fail(credentials.error());
  const auto found = credentials->secrets.find(kAgentSecret);
  if (found == credentials->secrets.end()) {
    return core::fail(core::Errc::corrupt, fmt::format("no secret '{}' that says where the master is", kAgentSecret));
  }
  auto secret = decode_agent_secret(found->second);
  if (!secret) return core::fail(secret.error());
  auto hdfs = hdfs_options(*secret, *credentials);
  if (!hdfs) return core::fail(hdfs.error());
  return AgentCredentials{std::move(secret->master), *std::move(hdfs)};
}

}  // namespace

std::string encode_agent_secret(const AgentSecret& secret) {
  return core::encode_record(kVersion, SecretRecord{.address = secret.master.address,
                                                    .port = secret.master.port,
                                                    .secret = secret.master.secret,
                                                    .user = secret.user,
                                                    .hadoop = secret.hadoop});
}

core::Result<AgentSecret> decode_agent_secret(std::string_view text) {
  auto record = core::decode_record<SecretRecord>(kVersion, text);
  if (!record) return core::fail(record.error());
  if (record->port == 0) return core::fail(core::Errc::corrupt, "'port' must not be 0");
  return AgentSecret{{std::move(record->address), record->port, std::move(record->secret)},
                     std::move(record->user),
                     std::move(record->hadoop)};
}

core::Result<AgentCredentials> read_agent_credentials(const std::filesystem::path& file) {
  const auto bytes = core::read_file(file, kLargestFile);
  if (!bytes) return core::fail(bytes.error());
  if (bytes->starts_with("HDTS")) {
    auto read = from_container(*bytes);
    if (!read) return core::fail(read.error().within(file.string()));
    return read;
  }
  auto master = net::read_endpoint(file);
  if (!master) return core::fail(master.error());
  return AgentCredentials{*std::move(master), std::nullopt};
}

core::Result<std::filesystem::path> credentials_file(const std::filesystem::path& given, const core::Getenv& getenv) {
  if (!given.empty()) return given;
  if (auto named = getenv("HADOOP_TOKEN_FILE_LOCATION"); named && !named->empty()) return *std::move(named);
  return core::fail(core::Errc::usage,
                    "an agent needs --credentials, or HADOOP_TOKEN_FILE_LOCATION in its environment");
}

}  // namespace ydl::agent
