#pragma once

#include "core/result.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

// Runs external programs: tar, uv, an interpreter.
namespace ydl::client {

// Runs a program in a folder until it ends, and appends its output to the log. Returns its exit code, or 128 plus the
// signal. Errors: it cannot be started.
[[nodiscard]] core::Result<int> run_tool(std::vector<std::string> argv, const std::filesystem::path& folder,
                                         const std::filesystem::path& log);

// The last line of a log, which usually names the cause of a failure.
[[nodiscard]] std::string last_words(const std::filesystem::path& log);

// What a program has written to its log since the log had this size, in one line of at most 800 bytes.
[[nodiscard]] std::string words_since(const std::filesystem::path& log, std::uintmax_t size);

// Returns the standard output without the last line feed; standard error goes to the log.
// Errors: it cannot be started; it fails, with the last line of its log.
[[nodiscard]] core::Result<std::string> output_of(std::vector<std::string> argv, const std::filesystem::path& log);

}  // namespace ydl::client
