#include "agent/container_credentials.hpp"

#include "core/files.hpp"
#include "core/json.hpp"
#include "hconf/portable.hpp"
#include "hdfs/configured.hpp"
#include "net/endpoint_file.hpp"
#include "yarn/configured.hpp"

#include <cerrno>
#include <fcntl.h>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace ydl::agent {
namespace {

namespace json = boost::json;

constexpr int kVersion = 2;
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
    return core::fail(core::Errc::corrupt, fmt::format("no secret '{}' that says where the master is", kAgentSecret));
  }
  auto secret = decode_agent_secret(found->second);
  if (!secret) return core::fail(secret.error());
  auto hdfs = hdfs_options(*secret, *credentials);
  if (!hdfs) return core::fail(hdfs.error());
  const bool is_simple = *hdfs && (*hdfs)->namenode.identity.security == hrpc::Security::simple;
  return AgentCredentials{std::move(secret->master), *std::move(hdfs),
                          hconf::from_map(secret->hadoop, "the job's configuration"), yarn::tokens_of(*credentials),
                          is_simple ? secret->user : ""};
}

}  // namespace

std::string encode_agent_secret(const AgentSecret& secret) {
  return json::serialize(json::object{{"version", kVersion},
                                      {"address", secret.master.address},
                                      {"port", secret.master.port},
                                      {"secret", secret.master.secret},
                                      {"fingerprint", secret.master.fingerprint},
                                      {"user", secret.user},
                                      {"hadoop", core::to_json(secret.hadoop)}});
}

core::Result<AgentSecret> decode_agent_secret(std::string_view text) {
  const auto object = core::parse_json_object(text);
  if (!object) return core::fail(object.error());
  const auto version = core::json_int(*object, "version");
  if (!version) return core::fail(version.error());
  if (*version != kVersion) {
    return core::fail(core::Errc::corrupt,
                      fmt::format("they are of version {}, this ydl reads version {}", *version, kVersion));
  }
  const auto address = core::json_string(*object, "address");
  const auto port = core::json_int(*object, "port");
  const auto secret = core::json_string(*object, "secret");
  const auto fingerprint = core::json_string(*object, "fingerprint");
  const auto user = core::json_string(*object, "user");
  auto hadoop = core::json_strings(*object, "hadoop");
  for (const auto* field : {&address, &secret, &fingerprint, &user}) {
    if (!*field) return core::fail(field->error());
  }
  if (!port) return core::fail(port.error());
  if (!hadoop) return core::fail(hadoop.error());
  if (*port < 1 || *port > 65535) return core::fail(core::Errc::corrupt, fmt::format("{} is no port", *port));
  if (fingerprint->empty()) return core::fail(core::Errc::corrupt, "there is no fingerprint of the master");
  return AgentSecret{{*address, static_cast<std::uint16_t>(*port), *secret, *fingerprint}, *user, *std::move(hadoop)};
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
  // A file that is mounted by itself cannot be replaced.
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
