#pragma once

#include "core/result.hpp"
#include "net/asio.hpp"
#include "spec/job_spec.hpp"

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

namespace ydl::client {

// The command that unpacks an archive into the current folder, chosen by the archive's suffix. Pure.
// Errors: usage, for an unknown suffix.
[[nodiscard]] core::Result<std::vector<std::string>> unpack_command(const std::string& archive);

// Creates a folder and unpacks an archive into it, with the tar or unzip of this machine.
// Errors: it cannot be unpacked, or the program is missing.
[[nodiscard]] core::Result<void> unpack_archive(const std::filesystem::path& archive,
                                                const std::filesystem::path& folder, const std::filesystem::path& log);

// Unpacks the job's archives, each into a folder of its name below `into`, with the tar or unzip of this machine.
// Errors: an archive does not exist or cannot be unpacked, or the program is missing; cancelled.
[[nodiscard]] net::Async<> unpack_archives(const spec::JobSpec& job, std::filesystem::path into, std::stop_token stop);

}  // namespace ydl::client
