#pragma once

#include "core/user.hpp"
#include "hconf/config.hpp"

#include <string>
#include <string_view>

namespace ydl::hrpc {

// The user name as the servers of this configuration see it. With Kerberos it is the principal of the ticket: servers
// then ignore HADOOP_USER_NAME and the local user. Without Kerberos or without a ticket it is core::user_name().
[[nodiscard]] std::string login_name(const hconf::Config& config, const core::Getenv& getenv = core::process_getenv);

// "alice" for "alice@EXAMPLE.ORG" and "alice/admin@EXAMPLE.ORG". Servers use this name for a principal unless
// hadoop.security.auth_to_local has other rules.
[[nodiscard]] std::string short_name(std::string_view principal);

}  // namespace ydl::hrpc
