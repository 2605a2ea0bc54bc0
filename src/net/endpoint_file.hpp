#pragma once

#include "core/result.hpp"
#include "net/http_client.hpp"

#include <filesystem>
#include <string_view>

namespace ydl::net {

// Where a master is, how it is known, and its secret, in a file that only its owner may read (mode 0600): a secret is
// never in an environment variable, a command line or a log. A socket beside the file is named without its folder.
// An endpoint on a port without a fingerprint is not read: a secret is not sent to whoever answers there.
[[nodiscard]] core::Result<void> write_endpoint(const std::filesystem::path& file, const Endpoint& endpoint);
[[nodiscard]] core::Result<Endpoint> read_endpoint(const std::filesystem::path& file);
// The same from the file's content; `folder` is where the file is. Errors: corrupt.
[[nodiscard]] core::Result<Endpoint> endpoint_from_json(std::string_view text, const std::filesystem::path& folder);

}  // namespace ydl::net
