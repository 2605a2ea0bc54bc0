#pragma once

#include "cli/args/parse.hpp"

#include <string>

namespace ydl::cli {

// One screen each.
[[nodiscard]] std::string command_help(const CommandHelp& command);
[[nodiscard]] std::string top_help();
[[nodiscard]] std::string mx_help();

}  // namespace ydl::cli
