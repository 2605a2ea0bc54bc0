#pragma once

#include <string>
#include <string_view>

// What ResourceManagers and NodeManagers say of a failure, which runs over many lines and into stack traces, cut down
// to what people can read. Pure.
namespace ydl::yarn {

// Of a container, or of an application that waits.
[[nodiscard]] std::string shorten_diagnostics(std::string_view diagnostics);

// Of an application that is over: what became of its master, without the counting of attempts.
[[nodiscard]] std::string describe_end_of_application(std::string_view diagnostics);

}  // namespace ydl::yarn
