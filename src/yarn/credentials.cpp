#include "yarn/credentials.hpp"

#include "core/files.hpp"
#include "hrpc/frame_codec.hpp"
#include "hrpc/proto/security.pb.h"
#include "yarn/proto/credentials.pb.h"
#include "yarn/token_identifiers.hpp"
#include "yarn/writable_codec.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace ydl::yarn {
namespace {

constexpr std::string_view kMagic = "HDTS";
// Prefix of the alias for the address of a name service's KMS (Hadoop's HdfsKMSUtil).
constexpr std::string_view kKmsAddress = "dfs-kms-";
constexpr const char* kVariable = "HADOOP_TOKEN_FILE_LOCATION";

std::unexpected<core::Error> corrupt(std::string_view what) {
  return core::fail(core::Errc::corrupt, fmt::format("this is not a valid file of Hadoop credentials: {}", what));
}

std::string encode_writable(const Credentials& credentials) {
  std::string bytes = encode_vlong(static_cast<std::int64_t>(credentials.tokens.size()));
  for (const auto& [alias, token] : credentials.tokens) {
    for (const std::string_view part :
         std::to_array<std::string_view>({alias, token.identifier, token.password, token.kind, token.service})) {
      bytes += encode_sized(part);
    }
  }
  bytes += encode_vlong(static_cast<std::int64_t>(credentials.secrets.size()));
  for (const auto& [alias, secret] : credentials.secrets) bytes += encode_sized(alias) + encode_sized(secret);
  return bytes;
}

std::string encode_protobuf(const Credentials& credentials) {
  hadoop::common::CredentialsProto proto;
  for (const auto& [alias, token] : credentials.tokens) {
    auto& entry = *proto.add_tokens();
    entry.set_alias(alias);
    *entry.mutable_token() = hrpc::to_proto(token);
  }
  for (const auto& [alias, secret] : credentials.secrets) {
    auto& entry = *proto.add_secrets();
    entry.set_alias(alias);
    entry.set_secret(secret);
  }
  std::string bytes;
  hrpc::append_delimited(bytes, proto.SerializeAsString());
  return bytes;
}

// Removes N strings from the front.
template <std::size_t N>
core::Result<std::array<std::string, N>> take_strings(std::string_view& rest) {
  std::array<std::string, N> strings;
  for (auto& string : strings) {
    const auto taken = take_sized(rest);
    if (!taken) return corrupt(taken.error().message);
    string = *taken;
  }
  return strings;
}

core::Result<Credentials> decode_writable(std::string_view rest) {
  Credentials credentials;
  const auto tokens = take_count(rest);
  if (!tokens) return corrupt(tokens.error().message);
  for (std::size_t i = 0; i < *tokens; ++i) {
    auto parts = take_strings<5>(rest);
    if (!parts) return core::fail(std::move(parts).error());
    auto& [alias, identifier, password, kind, service] = *parts;
    credentials.tokens[alias] = {std::move(identifier), std::move(password), std::move(kind), std::move(service)};
  }
  const auto secrets = take_count(rest);
  if (!secrets) return corrupt(secrets.error().message);
  for (std::size_t i = 0; i < *secrets; ++i) {
    auto parts = take_strings<2>(rest);
    if (!parts) return core::fail(std::move(parts).error());
    credentials.secrets[(*parts)[0]] = std::move((*parts)[1]);
  }
  return credentials;
}

core::Result<Credentials> decode_protobuf(std::string_view rest) {
  const auto bytes = hrpc::take_delimited(rest);
  if (!bytes) return corrupt("the length is wrong");
  hadoop::common::CredentialsProto proto;
  if (!proto.ParsePartialFromArray(bytes->data(), static_cast<int>(bytes->size())) || !proto.IsInitialized()) {
    return corrupt("the protobuf message cannot be decoded");
  }
  Credentials credentials;
  for (const auto& entry : proto.tokens()) {
    if (!entry.has_token()) return corrupt("a token is missing");
    credentials.tokens[entry.alias()] = hrpc::from_proto(entry.token());
  }
  for (const auto& entry : proto.secrets()) credentials.secrets[entry.alias()] = entry.secret();
  return credentials;
}

}  // namespace

void Credentials::add(hrpc::Token token) {
  auto alias = token.service;
  tokens[std::move(alias)] = std::move(token);
}

const hrpc::Token* Credentials::find_kind(std::string_view kind) const {
  const auto found = std::ranges::find_if(tokens, [kind](const auto& entry) { return entry.second.kind == kind; });
  return found == tokens.end() ? nullptr : &found->second;
}

std::string encode_credentials(const Credentials& credentials, CredentialsFormat format) {
  std::string bytes(kMagic);
  bytes.push_back(static_cast<char>(format));
  return bytes + (format == CredentialsFormat::writable ? encode_writable(credentials) : encode_protobuf(credentials));
}

core::Result<Credentials> decode_credentials(std::string_view bytes) {
  if (!bytes.starts_with(kMagic)) return corrupt("it does not start with HDTS");
  bytes.remove_prefix(kMagic.size());
  if (bytes.empty()) return corrupt("it ends after the first four bytes");
  const auto format = static_cast<unsigned char>(bytes.front());
  bytes.remove_prefix(1);
  switch (format) {
    case static_cast<unsigned char>(CredentialsFormat::writable):
      return decode_writable(bytes);
    case static_cast<unsigned char>(CredentialsFormat::protobuf):
      return decode_protobuf(bytes);
    default:
      return corrupt(fmt::format("format {} is unknown", format));
  }
}

core::Result<Credentials> process_credentials(const core::Getenv& getenv) {
  const auto path = getenv(kVariable);
  if (!path) return Credentials{};
  const auto bytes = core::read_file(*path);
  if (!bytes) return core::fail(bytes.error().within(kVariable));
  auto credentials = decode_credentials(*bytes);
  if (!credentials) return core::fail(std::move(credentials).error().within(fmt::format("{}={}", kVariable, *path)));
  return credentials;
}

Credentials under_both_names(Credentials credentials) {
  Credentials named = credentials;
  for (const auto& [alias, token] : credentials.tokens) {
    if (token.kind != hrpc::kHdfsToken) continue;
    // The second name must not replace another token that has it as its service.
    const bool is_free = std::ranges::none_of(credentials.tokens, [&](const auto& other) {
      return other.first != alias && other.second.kind == hrpc::kHdfsToken && other.second.service == alias;
    });
    if (is_free) named.tokens[alias].service = alias;
    named.tokens.try_emplace(token.service, token);
  }
  return named;
}

Credentials for_tasks(Credentials credentials) {
  std::erase_if(credentials.tokens, [](const auto& entry) {
    const auto& kind = entry.second.kind;
    return kind == kAmRmToken || kind == kNmToken || kind == kContainerToken;
  });
  std::erase_if(credentials.secrets, [](const auto& entry) { return !entry.first.starts_with(kKmsAddress); });
  return under_both_names(std::move(credentials));
}

}  // namespace ydl::yarn
