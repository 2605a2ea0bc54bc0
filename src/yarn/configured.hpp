#pragma once

#include "core/result.hpp"
#include "hconf/config.hpp"
#include "hrpc/configured.hpp"
#include "yarn/credentials.hpp"

#include <vector>

namespace ydl::yarn {

// Options for the clients of a ResourceManager as Hadoop's configuration has them.
// Errors: usage, naming file, key and value.

// For ClientRm: the port for users, and their delegation token where there is one.
[[nodiscard]] core::Result<hrpc::ClientOptions> client_rm_options(const hconf::Config& config,
                                                                  const hrpc::Credentials& credentials);
// For AppMaster: the scheduler's port, and the AMRM token.
[[nodiscard]] core::Result<hrpc::ClientOptions> app_master_options(const hconf::Config& config,
                                                                   const hrpc::Credentials& credentials);

// All tokens of a container or a user, for hrpc::Credentials, which refers to them.
[[nodiscard]] std::vector<hrpc::Token> tokens_of(const Credentials& credentials);

}  // namespace ydl::yarn
