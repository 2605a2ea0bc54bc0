#pragma once

#include "core/clock.hpp"
#include "core/result.hpp"
#include "hconf/host_port.hpp"
#include "hrpc/token.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ydl::yarn {

inline constexpr std::string_view kAmRmToken = "YARN_AM_RM_TOKEN";
inline constexpr std::string_view kNmToken = "NMToken";
inline constexpr std::string_view kContainerToken = "ContainerToken";
inline constexpr std::string_view kRmDelegationToken = "RM_DELEGATION_TOKEN";

// The readable part of a token: its owner and its times, for messages. Only servers can check that a token is valid.
// Errors: corrupt.
struct DelegationTokenIdentifier {
  std::string owner;
  std::string renewer;
  std::string real_user;
  core::WallTime issued;
  core::WallTime max_date;  // it cannot be renewed beyond this date
  std::int32_t sequence = 0;
};
[[nodiscard]] core::Result<DelegationTokenIdentifier> read_rm_delegation_token(const hrpc::Token& token);

// The service name of a token for a group of servers: "rm1:8030,rm2:8030". The ResourceManager does not set it. Java
// programs search a credentials file for a token with one of these addresses.
[[nodiscard]] std::string service_of(std::span<const hconf::HostPort> servers);

}  // namespace ydl::yarn
