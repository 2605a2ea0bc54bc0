#pragma once

#include <string>
#include <string_view>

namespace ydl::core {

// Whether a variable of this name holds what nobody should see on a screen or in a log: a part of the name between
// underscores is a word such as PASSWORD, SECRET, TOKEN, KEY or CREDENTIALS.
[[nodiscard]] bool looks_secret(std::string_view variable);

// The value for people's eyes: "…" where the name looks secret, or the value is an address with a password in it.
[[nodiscard]] std::string shown_value(std::string_view variable, const std::string& value);

}  // namespace ydl::core
