#pragma once

#include "core/clock.hpp"
#include "core/result.hpp"
#include "yarn/credentials.hpp"
#include "yarn/token_identifiers.hpp"

#include <optional>
#include <string>

// How long a job can use HDFS with its tokens. Pure.
namespace ydl::yarn {

// Decodes the identifier of an HDFS token. Errors: corrupt, also for tokens of another kind.
[[nodiscard]] core::Result<DelegationTokenIdentifier> read_hdfs_delegation_token(const hrpc::Token& token);

// The owner of the first HDFS or ResourceManager token in the credentials; "" if there is no readable one.
[[nodiscard]] std::string owner_of(const Credentials& credentials);

// The earliest date beyond which an HDFS token cannot be renewed; nothing if there is no such token.
[[nodiscard]] std::optional<core::WallTime> end_of_tokens(const Credentials& credentials);

// The warning at submission of a job with this time limit (0: no limit); "" if the tokens last longer than the job.
[[nodiscard]] std::string limit_passes_tokens(core::WallTime now, core::Millis limit, core::WallTime end);

// The time until a running job should warn that its tokens expire, which is one hour before.
[[nodiscard]] core::Millis until_warning(core::WallTime now, core::WallTime end);
[[nodiscard]] std::string tokens_end_soon(core::WallTime end);

}  // namespace ydl::yarn
