#pragma once

#include "core/result.hpp"
#include "hconf/config.hpp"
#include "hrpc/configured.hpp"
#include "yarn/credentials.hpp"

#include <vector>

namespace ydl::yarn {

// Options for the clients of a ResourceManager from Hadoop's configuration. Errors: usage, with file, key and value.

// For ClientRm: the port for users, with their delegation token if there is one.
[[nodiscard]] core::Result<hrpc::ClientOptions> client_rm_options(const hconf::Config& config,
                                                                  const hrpc::Credentials& credentials);
// For AppMaster: the port of the scheduler, with the AMRM token.
[[nodiscard]] core::Result<hrpc::ClientOptions> app_master_options(const hconf::Config& config,
                                                                   const hrpc::Credentials& credentials);

// All tokens of a container or a user. hrpc::Credentials refers to them, so the result must outlive it.
[[nodiscard]] std::vector<hrpc::Token> tokens_of(const Credentials& credentials);

}  // namespace ydl::yarn
