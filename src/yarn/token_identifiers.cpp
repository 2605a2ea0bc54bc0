#include "yarn/token_identifiers.hpp"

#include "core/strings.hpp"
#include "yarn/convert.hpp"
#include "yarn/proto/token_identifiers.pb.h"

#include <vector>

#include <fmt/format.h>

namespace ydl::yarn {
namespace {

namespace pb = hadoop::yarn;

template <class Identifier>
core::Result<Identifier> identifier_of(const hrpc::Token& token, std::string_view kind) {
  if (token.kind != kind) {
    return core::fail(core::Errc::corrupt,
                      fmt::format("a token of kind {} was expected, this is {}", kind, core::printable(token.kind)));
  }
  Identifier identifier;
  if (!identifier.ParsePartialFromString(token.identifier) || !identifier.IsInitialized()) {
    return core::fail(core::Errc::corrupt, fmt::format("the identifier of a token of kind {} is not readable", kind));
  }
  return identifier;
}

}  // namespace

core::Result<AmRmTokenIdentifier> read_am_rm_token(const hrpc::Token& token) {
  const auto identifier = identifier_of<pb::AMRMTokenIdentifierProto>(token, kAmRmToken);
  if (!identifier) return core::fail(identifier.error());
  return AmRmTokenIdentifier{.attempt = from_proto(identifier->appattemptid()), .key = identifier->keyid()};
}

core::Result<NmTokenIdentifier> read_nm_token(const hrpc::Token& token) {
  const auto identifier = identifier_of<pb::NMTokenIdentifierProto>(token, kNmToken);
  if (!identifier) return core::fail(identifier.error());
  return NmTokenIdentifier{.attempt = from_proto(identifier->appattemptid()),
                           .node = from_proto(identifier->nodeid()),
                           .submitter = identifier->appsubmitter(),
                           .key = identifier->keyid()};
}

core::Result<ContainerTokenIdentifier> read_container_token(const hrpc::Token& token) {
  const auto identifier = identifier_of<pb::ContainerTokenIdentifierProto>(token, kContainerToken);
  if (!identifier) return core::fail(identifier.error());
  return ContainerTokenIdentifier{.container = from_proto(identifier->containerid()),
                                  .node_address = identifier->nmhostaddr(),
                                  .submitter = identifier->appsubmitter(),
                                  .resource = from_proto(identifier->resource()),
                                  .expires = wall_time(identifier->expirytimestamp()),
                                  .key = identifier->masterkeyid()};
}

core::Result<RmDelegationTokenIdentifier> read_rm_delegation_token(const hrpc::Token& token) {
  const auto identifier = identifier_of<pb::YARNDelegationTokenIdentifierProto>(token, kRmDelegationToken);
  if (!identifier) return core::fail(identifier.error());
  return RmDelegationTokenIdentifier{.owner = identifier->owner(),
                                     .renewer = identifier->renewer(),
                                     .real_user = identifier->realuser(),
                                     .issued = wall_time(identifier->issuedate()),
                                     .max_date = wall_time(identifier->maxdate()),
                                     .sequence = identifier->sequencenumber()};
}

std::string service_of(std::span<const hconf::HostPort> servers) {
  std::vector<std::string> names;
  names.reserve(servers.size());
  for (const auto& server : servers) names.push_back(to_string(server));
  return core::join(names, ",");
}

}  // namespace ydl::yarn
