#pragma once

#include "core/clock.hpp"
#include "core/result.hpp"
#include "yarn/credentials.hpp"
#include "yarn/token_identifiers.hpp"

#include <optional>
#include <string>

// How long a job can use HDFS with the tokens it has. Pure.
namespace ydl::yarn {

// Of an HDFS token. Errors: corrupt, and other kinds.
[[nodiscard]] core::Result<DelegationTokenIdentifier> read_hdfs_delegation_token(const hrpc::Token& token);

// The owner of the credentials' first token of HDFS or of a ResourceManager; "" where there is none that can be read.
[[nodiscard]] std::string owner_of(const Credentials& credentials);

// The earliest date beyond which no renewal of a token of HDFS goes; nothing where there is no such token.
[[nodiscard]] std::optional<core::WallTime> end_of_tokens(const Credentials& credentials);

// What a user should know at submission of a job with this time limit (0: none); "" where the tokens outlast it.
[[nodiscard]] std::string limit_passes_tokens(core::WallTime now, core::Millis limit, core::WallTime end);

// A running job says an hour before its tokens' end that they end.
[[nodiscard]] core::Millis until_warning(core::WallTime now, core::WallTime end);
[[nodiscard]] std::string tokens_end_soon(core::WallTime end);

}  // namespace ydl::yarn
