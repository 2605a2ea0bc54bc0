#pragma once

#include <string>
#include <string_view>

// Shortens the diagnostics of ResourceManagers and NodeManagers, which are many lines with stack traces, to what users
// can understand. Pure.
namespace ydl::yarn {

// For a container, or for an application that is waiting.
[[nodiscard]] std::string shorten_diagnostics(std::string_view diagnostics);

// For an application that has ended: why its master ended, without the text about attempts.
[[nodiscard]] std::string describe_end_of_application(std::string_view diagnostics);

}  // namespace ydl::yarn
