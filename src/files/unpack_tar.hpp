#pragma once

#include "core/result.hpp"
#include "files/zstd_stream.hpp"

#include <cstdint>
#include <filesystem>
#include <stop_token>

namespace ydl::files {

struct UnpackLimits {
  std::uint64_t bytes = 0;    // of all files
  std::uint64_t members = 0;  // files, folders and links
  std::stop_token stop = {};
};

// Unpacks a tar archive into an empty folder, which must exist. Files become 0644 or 0755, folders 0755, all of the
// current user. No member is written outside of the folder or through a link. Links that lead out of the folder are
// left out. Errors: corrupt; no_capacity, if it exceeds a limit or the disk is full; io; cancelled.
[[nodiscard]] core::Result<void> unpack_tar(ReadBytes archive, const std::filesystem::path& folder,
                                            const UnpackLimits& limits);

// The same for a file that is compressed with zstd.
[[nodiscard]] core::Result<void> unpack_tar_zst(const std::filesystem::path& archive,
                                                const std::filesystem::path& folder, const UnpackLimits& limits);

}  // namespace ydl::files
