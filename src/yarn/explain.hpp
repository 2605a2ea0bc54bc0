#pragma once

#include "core/error.hpp"

#include <string_view>

namespace ydl::yarn {

// The error of a call as a sentence: the attempted operation (`doing`), the server's message and, if known, the remedy.
[[nodiscard]] core::Error explain(core::Error error, std::string_view doing);

// The ResourceManager was restarted or failed over, and the master must register again.
[[nodiscard]] bool is_not_registered(const core::Error& error);
// The ResourceManager has already accepted a registration of this attempt.
[[nodiscard]] bool is_already_registered(const core::Error& error);
// The attempt is over: another one is running, or the application has ended.
[[nodiscard]] bool is_attempt_over(const core::Error& error);

}  // namespace ydl::yarn
