#pragma once

#include "core/error.hpp"

#include <string_view>

namespace ydl::yarn {

// The error of a call as a sentence: what was being done, what the server said, and what helps where we know it.
[[nodiscard]] core::Error explain(core::Error error, std::string_view doing);

// The ResourceManager restarted or failed over and wants us to register again.
[[nodiscard]] bool is_not_registered(const core::Error& error);
// The ResourceManager has served a registration of this attempt before.
[[nodiscard]] bool is_already_registered(const core::Error& error);
// The attempt is over: another one runs, or the application has ended.
[[nodiscard]] bool is_attempt_over(const core::Error& error);

}  // namespace ydl::yarn
