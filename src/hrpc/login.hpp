#pragma once

#include "core/user.hpp"
#include "hconf/config.hpp"

#include <string>
#include <string_view>

namespace ydl::hrpc {

// Who we are to the servers of this configuration. With Kerberos the ticket says it: HADOOP_USER_NAME and the login on
// this machine count for nothing there. Without a ticket, and without Kerberos, it is core::user_name().
[[nodiscard]] std::string login_name(const hconf::Config& config, const core::Getenv& getenv = core::process_getenv);

// "alice" of "alice@EXAMPLE.ORG" and of "alice/admin@EXAMPLE.ORG": what servers make of a principal unless rules of
// their own (hadoop.security.auth_to_local) say otherwise.
[[nodiscard]] std::string short_name(std::string_view principal);

}  // namespace ydl::hrpc
