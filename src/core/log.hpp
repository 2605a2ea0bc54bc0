#pragma once

#include <string_view>

#include <fmt/format.h>

namespace ydl::core {

// The diary of a master or an agent, for the person who has to find out why: one line per fact on standard error,
// which the parent process points at a file. What a user must know goes through events and errors, not here.
void log_line(std::string_view text);

template <class... Args>
void log(fmt::format_string<Args...> format, Args&&... args) {
  log_line(fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace ydl::core
