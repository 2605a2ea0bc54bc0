#pragma once

#include "core/error.hpp"

#include <string>

namespace ydl::client {

// A command that cannot be started, as the exit code that a shell has for it.
enum class CommandErrc { not_executable = 126, not_found = 127 };

[[nodiscard]] core::Error command_error(CommandErrc code, std::string message);

// 126 or 127 for an error made by command_error(), else 0.
[[nodiscard]] int command_exit_code(const core::Error& error);

}  // namespace ydl::client
