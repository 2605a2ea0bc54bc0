#pragma once

#include <string>
#include <string_view>

namespace ydl::core {

// Whether a variable of this name probably contains a secret, which must not appear on screens or in logs: a part of
// the name between underscores is a word such as PASSWORD, SECRET, TOKEN, KEY or CREDENTIALS.
[[nodiscard]] bool looks_secret(std::string_view variable);

// The value for display: "…" if the name looks secret or the value is a URL with a password.
[[nodiscard]] std::string shown_value(std::string_view variable, const std::string& value);

}  // namespace ydl::core
