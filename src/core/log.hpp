#pragma once

#include <string_view>

#include <fmt/format.h>

namespace ydl::core {

// The log of a master or an agent, for troubleshooting: one line per event on standard error, which the parent process
// redirects to a file. Users learn what they need from events and errors, not from this log.
void log_line(std::string_view text);

template <class... Args>
void log(fmt::format_string<Args...> format, Args&&... args) {
  log_line(fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace ydl::core
