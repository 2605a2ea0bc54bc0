#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ydl::agent {

// The first line of a script as the kernel reads it: a program, and the rest of the line as *one* argument.
struct Shebang {
  std::string interpreter;
  std::string argument;
};

// Parses the first bytes of a file. Returns nothing if they do not start with "#!" and a name.
[[nodiscard]] std::optional<Shebang> parse_shebang(std::string_view first_bytes);

// The program that `env` would search, from the argument of a "#!/usr/bin/env ..." line; nothing if that is not
// certain.
[[nodiscard]] std::optional<std::string> program_of_env(std::string_view argument);

// The first executable file among `places`; relative paths are relative to `from`.
[[nodiscard]] std::optional<std::filesystem::path> first_executable(const std::vector<std::string>& places,
                                                                    const std::filesystem::path& from);

// Why the interpreter of `script` cannot be found, as one sentence; nothing if it is found or the file is not a script.
[[nodiscard]] std::optional<std::string> interpreter_problem(const std::filesystem::path& script,
                                                             std::string_view search_path,
                                                             const std::filesystem::path& working_directory);

}  // namespace ydl::agent
