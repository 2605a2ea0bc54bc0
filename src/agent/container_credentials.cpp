#include "agent/container_credentials.hpp"

#include "core/described_json.hpp"
#include "core/files.hpp"
#include "hconf/portable.hpp"
#include "hdfs/configured.hpp"
#include "net/endpoint_file.hpp"
#include "yarn/configured.hpp"

#include <cerrno>
#include <fcntl.h>

#include <fmt/format.h>

namespace ydl::agent {
namespace {

// AgentSecret as it is stored.
struct AgentRecord {
  std::string address;
  std::uint16_t port = 0;
  std::string secret;
  std::string fingerprint;
  std::string user;
  std::map<std::string, std::string> hadoop;
  std::string folder;
};
BOOST_DESCRIBE_STRUCT(AgentRecord, (), (address, port, secret, fingerprint, user, hadoop, folder))

constexpr int kVersion = 3;
constexpr std::size_t kLargestFile = std::size_t{16} << 20U;

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
    return core::fail(core::Errc::corrupt,
                      fmt::format("they contain no secret '{}' with the address of the master", kAgentSecret));
  }
  auto secret = decode_agent_secret(found->second);
  if (!secret) return core::fail(secret.error());
  auto hdfs = hdfs_options(*secret, *credentials);
  if (!hdfs) return core::fail(hdfs.error());
  const bool is_simple = *hdfs && (*hdfs)->namenode.identity.security == hrpc::Security::simple;
  return AgentCredentials{std::move(secret->master),
                          *std::move(hdfs),
                          hconf::from_map(secret->hadoop, "the job's configuration"),
                          yarn::tokens_of(*credentials),
                          std::move(secret->folder),
                          is_simple ? secret->user : ""};
}

}  // namespace

std::string encode_agent_secret(const AgentSecret& secret) {
  const auto& master = secret.master;
  return core::encode_record(kVersion, AgentRecord{master.address, master.port, master.secret, master.fingerprint,
                                                   secret.user, secret.hadoop, secret.folder});
}

core::Result<AgentSecret> decode_agent_secret(std::string_view text) {
  auto record = core::decode_record<AgentRecord>(kVersion, text);
  if (!record) return core::fail(record.error());
  if (record->port == 0) return core::fail(core::Errc::corrupt, "'port' is 0");
  if (record->fingerprint.empty()) return core::fail(core::Errc::corrupt, "'fingerprint' is empty");
  return AgentSecret{
      {std::move(record->address), record->port, std::move(record->secret), std::move(record->fingerprint)},
      std::move(record->user),
      std::move(record->hadoop),
      std::move(record->folder)};
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
  return AgentCredentials{.master = *std::move(master), .hdfs = std::nullopt};
}

core::Result<void> hide_from_tasks(const std::filesystem::path& file) {
  const auto bytes = core::read_file(file, kLargestFile);
  if (!bytes) return core::fail(bytes.error());
  if (!bytes->starts_with("HDTS")) return {};
  auto credentials = yarn::decode_credentials(*bytes);
  if (!credentials) return core::fail(credentials.error().within(file.string()));
  const auto left = yarn::encode_credentials(yarn::for_tasks(*std::move(credentials)));
  if (core::write_file_atomically(file, left, 0600)) return {};
  // The file may be a mount point of its own, which cannot be replaced, so it is overwritten in place.
  const core::UniqueFd in_place(::open(file.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
  if (in_place.get() < 0) return core::fail(core::system_error(errno, fmt::format("cannot write {}", file.string())));
  return core::write_all(in_place.get(), left);
}

core::Result<std::filesystem::path> credentials_file(const std::filesystem::path& given, const core::Getenv& getenv) {
  if (!given.empty()) return given;
  if (auto named = getenv("HADOOP_TOKEN_FILE_LOCATION"); named && !named->empty()) return *std::move(named);
  return core::fail(core::Errc::usage,
                    "an agent needs --credentials, or HADOOP_TOKEN_FILE_LOCATION in its environment");
}

}  // namespace ydl::agent
