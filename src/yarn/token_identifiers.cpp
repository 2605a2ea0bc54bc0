#include "yarn/token_identifiers.hpp"

#include "core/strings.hpp"
#include "yarn/convert.hpp"
#include "yarn/proto/token_identifiers.pb.h"

#include <vector>

#include <fmt/format.h>

namespace ydl::yarn {
namespace pb = hadoop::yarn;

core::Result<DelegationTokenIdentifier> read_rm_delegation_token(const hrpc::Token& token) {
  if (token.kind != kRmDelegationToken) {
    return core::fail(core::Errc::corrupt, fmt::format("expected a token of kind {}, but this one is of kind {}",
                                                       kRmDelegationToken, core::printable(token.kind)));
  }
  pb::YARNDelegationTokenIdentifierProto identifier;
  if (!identifier.ParsePartialFromString(token.identifier) || !identifier.IsInitialized()) {
    return core::fail(core::Errc::corrupt,
                      fmt::format("the identifier of a token of kind {} cannot be decoded", kRmDelegationToken));
  }
  return DelegationTokenIdentifier{.owner = identifier.owner(),
                                   .renewer = identifier.renewer(),
                                   .real_user = identifier.realuser(),
                                   .issued = wall_time(identifier.issuedate()),
                                   .max_date = wall_time(identifier.maxdate()),
                                   .sequence = identifier.sequencenumber()};
}

std::string service_of(std::span<const hconf::HostPort> servers) {
  std::vector<std::string> names;
  names.reserve(servers.size());
  for (const auto& server : servers) names.push_back(to_string(server));
  return core::join(names, ",");
}

}  // namespace ydl::yarn
