#pragma once

#include "core/result.hpp"
#include "net/http_client.hpp"

#include <filesystem>
#include <string_view>

namespace ydl::net {

// The address, certificate fingerprint and secret of a master, in a file that only its owner can read (mode 0600). The
// secret is never passed in an environment variable or a command line, and never logged. A socket in the same folder is
// stored without the folder, so that the folder can be moved. An endpoint with a port but without a fingerprint is
// rejected: the client could not tell the master from another program on that port, and would send it the secret.
[[nodiscard]] core::Result<void> write_endpoint(const std::filesystem::path& file, const Endpoint& endpoint);
[[nodiscard]] core::Result<Endpoint> read_endpoint(const std::filesystem::path& file);
// The same from the file's content; `folder` is the folder of the file. Errors: corrupt.
[[nodiscard]] core::Result<Endpoint> endpoint_from_json(std::string_view text, const std::filesystem::path& folder);

}  // namespace ydl::net
