#pragma once

#include "core/result.hpp"

#include <filesystem>

namespace ydl::core {

// Creates a directory that only the current user can enter (mode 0700), and its parents. An existing directory of the
// current user gets this mode. Errors: refused, when the directory, or a link at this path, belongs to another user;
// errors of the operating system.
[[nodiscard]] Result<void> make_private_directory(const std::filesystem::path& path);

}  // namespace ydl::core
