#pragma once

#include "core/result.hpp"

#include <span>
#include <string>
#include <string_view>

// Quoting of values for a NodeManager's launch script, so that they reach the task unchanged.
//
// The NodeManager writes, without escaping anything,
//
//   export NAME="<value>"
//   exec /bin/bash -c "<command>"
//
// after it has replaced {{ by $, }} by nothing, and <LOG_DIR>, <CPS> and <ADD_OPENS> by their values. So a shell
// expands a value once and a command twice. Values are protobuf strings, so bytes that are not UTF-8 would be lost.
namespace ydl::yarn {

// The text for NAME in the launch context so that the task gets `value`. Errors: usage, for bytes that cannot be passed
// (not UTF-8, or NUL): pass those in a file or as base64.
[[nodiscard]] core::Result<std::string> quote_environment_value(std::string_view value);

// The command for the launch context that runs these words unchanged. Errors: as above.
[[nodiscard]] core::Result<std::string> quote_command(std::span<const std::string> words);

// The NodeManager replaces this by the folder of the container's logs.
inline constexpr std::string_view kLogDir = "<LOG_DIR>";

}  // namespace ydl::yarn
