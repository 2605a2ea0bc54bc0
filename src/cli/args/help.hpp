#pragma once

#include "cli/args/parse.hpp"

#include <string>
#include <vector>

namespace ydl::cli {

// What is shown of a command with more options than fit a screen.
enum class HelpLength {
  screen,  // the everyday options, and the names of the others
  full,
};
[[nodiscard]] std::string command_help(const CommandHelp& command, HelpLength length = HelpLength::screen);
// As --help or --help-all among the words ask for it.
[[nodiscard]] HelpLength help_length(const std::vector<std::string>& words);
[[nodiscard]] std::string top_help();
[[nodiscard]] std::string mx_help();

}  // namespace ydl::cli
