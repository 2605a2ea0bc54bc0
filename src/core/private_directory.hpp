#pragma once

#include "core/result.hpp"

#include <filesystem>

namespace ydl::core {

// Makes a directory that only we can enter (0700), and its parents. One that is there already gets that mode if it is
// ours. Errors: refused, when it, or the link by which it is reached, belongs to somebody else; those of the system.
[[nodiscard]] Result<void> make_private_directory(const std::filesystem::path& path);

}  // namespace ydl::core
