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

// Where `name` can be executed from: itself when it has a slash, else the first place in `path`.
[[nodiscard]] std::optional<std::string> find_program(const std::string& name, std::string_view path);

// Runs a short program of the system to its end with this process's environment, and kills it after `limit`. Waits: for
// start-up, not for an event loop.
[[nodiscard]] core::Result<ProgramResult> run_program(std::vector<std::string> argv, core::Millis limit);

}  // namespace ydl::agent
