#pragma once

#include "cli/args/commands.hpp"
#include "core/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ydl::cli {

// The command line as a Command. `program` is how we were called: ydl, or ydl-mx for MXNet jobs.
// Errors: usage, in one sentence.
[[nodiscard]] core::Result<Command> parse(std::string_view program, std::vector<std::string> arguments);
[[nodiscard]] core::Result<Command> parse_ydl(std::vector<std::string> arguments);
[[nodiscard]] core::Result<Command> parse_mx(std::vector<std::string> arguments);

// The grammar as data, for completion and the manual.
struct OptionHelp {
  std::vector<std::string> names;  // "--role", "-n"
  std::string value;               // "NAME=N", empty for a flag
  std::string text;
  std::string group;      // the heading it stands under in a long help
  bool is_listed = true;  // else another option's line names it
};
struct CommandHelp {
  std::string name;
  std::string text;
  std::string usage;
  std::vector<OptionHelp> options;
  bool takes_task = false;  // its last words are the command of a task
};
[[nodiscard]] std::vector<CommandHelp> describe_commands();
[[nodiscard]] CommandHelp describe_mx();

}  // namespace ydl::cli
