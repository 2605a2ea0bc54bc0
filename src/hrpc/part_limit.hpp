#pragma once

#include "core/result.hpp"

#include <cstddef>
#include <string_view>

namespace ydl::hrpc {

// The most parts (strings and messages) that one message of an answer has, and that the whole answer has. Ten thousand
// NodeManagers are far below it.
inline constexpr std::size_t kMostSiblings = std::size_t{1} << 17U;
inline constexpr std::size_t kMostParts = std::size_t{1} << 20U;

// An empty part has two bytes in an answer and several hundred in memory once it is decoded, so an answer is measured
// before that. What cannot be read is not counted: decoding it fails. Errors: corrupt.
[[nodiscard]] core::Result<> check_parts(std::string_view message);

}  // namespace ydl::hrpc
