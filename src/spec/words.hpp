#pragma once

#include "core/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ydl::spec {

// The words of a command line as a POSIX shell would split them: blanks separate, quotes and backslashes keep
// together. Nothing is expanded: $HOME and * stay as they are. Errc::usage on an open quote, on a backslash at the end,
// and on an operator (| & ; < > and parentheses) outside quotes, which only a shell could carry out.
[[nodiscard]] core::Result<std::vector<std::string>> split_words(std::string_view line);

}  // namespace ydl::spec
