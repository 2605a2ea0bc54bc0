#pragma once

#include "core/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ydl::spec {

// Splits a command line into words like a POSIX shell: at blanks, except inside quotes and after backslashes. Nothing
// is expanded: $HOME and * stay as they are. Errors: usage, for an open quote, a backslash at the end, and an operator
// (| & ; < > and parentheses) outside quotes, which only a shell could execute.
[[nodiscard]] core::Result<std::vector<std::string>> split_words(std::string_view line);

}  // namespace ydl::spec
