#pragma once

#include "core/result.hpp"

#include <cstddef>
#include <string_view>

namespace ydl::hrpc {

// The maximum number of parts (strings and messages) in one message of an answer, and in the whole answer. A cluster
// with ten thousand NodeManagers stays far below.
inline constexpr std::size_t kMostSiblings = std::size_t{1} << 17U;
inline constexpr std::size_t kMostParts = std::size_t{1} << 20U;

// Checks an answer before it is decoded: an empty part has two bytes on the wire, but several hundred in memory.
// Invalid bytes are not counted, because decoding them fails later. Errors: corrupt.
[[nodiscard]] core::Result<> check_parts(std::string_view message);

}  // namespace ydl::hrpc
