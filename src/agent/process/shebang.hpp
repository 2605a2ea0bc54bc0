#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ydl::agent {

// The first line of a script, as the kernel reads it: a program, and the rest of the line as *one* argument.
struct Shebang {
  std::string interpreter;
  std::string argument;
};

// From the first bytes of a file; nothing when they do not start with "#!" and a name.
[[nodiscard]] std::optional<Shebang> parse_shebang(std::string_view first_bytes);

// The program `env` would look for, given the argument of a "#!/usr/bin/env ..." line; nothing when that cannot be
// told.
[[nodiscard]] std::optional<std::string> program_of_env(std::string_view argument);

// Where the first of `places` that can be executed lies, relative ones being meant from `from`.
[[nodiscard]] std::optional<std::filesystem::path> first_executable(const std::vector<std::string>& places,
                                                                    const std::filesystem::path& from);

// Why the script at `script` cannot find its interpreter, as a sentence; nothing when it can, or is no script.
[[nodiscard]] std::optional<std::string> interpreter_problem(const std::filesystem::path& script,
                                                             std::string_view search_path,
                                                             const std::filesystem::path& working_directory);

}  // namespace ydl::agent
