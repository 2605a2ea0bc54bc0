#pragma once

#include "core/result.hpp"

#include <span>
#include <string>
#include <string_view>

// Bytes through a NodeManager's launch script unchanged.
//
// The NodeManager writes, without escaping anything,
//
//   export NAME="<value>"
//   exec /bin/bash -c "<command>"
//
// after it has replaced {{ by $, }} by nothing, and <LOG_DIR>, <CPS> and <ADD_OPENS> by what they stand for. So a value
// is expanded once by a shell and a command twice. Values travel in protobuf strings: they are UTF-8 or they are lost.
namespace ydl::yarn {

// What NAME must be set to in the launch context so that the task finds `value` in it. Errors: usage, for bytes that
// cannot travel this way (not UTF-8, or NUL): send those by file or in base64.
[[nodiscard]] core::Result<std::string> quote_environment_value(std::string_view value);

// A command of the launch context that runs these words as they are. Errors: as above.
[[nodiscard]] core::Result<std::string> quote_command(std::span<const std::string> words);

// Where the NodeManager keeps a container's logs; it puts the folder in its place.
inline constexpr std::string_view kLogDir = "<LOG_DIR>";

}  // namespace ydl::yarn
