#pragma once

#include "core/clock.hpp"
#include "core/result.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ydl::agent {

struct ProgramResult {
  int shell_code = 0;  // the exit code, or 128 + the signal
  std::string output;  // standard output and standard error, at most 1 MiB
};

// The path of an executable file: `name` itself if it contains a slash, else the first match in `path`.
[[nodiscard]] std::optional<std::string> find_program(const std::string& name, std::string_view path);

// Runs a short system program until it ends, with the environment of this process, and kills it after `limit`. Blocks,
// so it must not be called in an event loop.
[[nodiscard]] core::Result<ProgramResult> run_program(std::vector<std::string> argv, core::Millis limit);

}  // namespace ydl::agent
