#pragma once

#include "core/result.hpp"

#include <filesystem>
#include <string>
#include <vector>

// Other people's programs that do a part of our work: tar, uv, an interpreter.
namespace ydl::client {

// Runs it to its end in a folder; what it writes is appended to the log. Its exit code, 128 and more for a signal.
// Errors: it cannot be started.
[[nodiscard]] core::Result<int> run_tool(std::vector<std::string> argv, const std::filesystem::path& folder,
                                         const std::filesystem::path& log);

// The last line of a log, which is what the program died of.
[[nodiscard]] std::string last_words(const std::filesystem::path& log);

// What it writes to its standard output, without the end of the last line; the rest goes to the log.
// Errors: it cannot be started; it fails, with its last words.
[[nodiscard]] core::Result<std::string> output_of(std::vector<std::string> argv, const std::filesystem::path& log);

}  // namespace ydl::client
