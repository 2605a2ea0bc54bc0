#pragma once

#include <string_view>
#include <sys/types.h>

namespace ydl::agent {

// Whether a process has a handler for the signal, from /proc/PID/status. A process without one would be ended by it.
[[nodiscard]] bool handles_signal(std::string_view status, int signal);

// Sends the signal to the descendants of `root` that have a handler for it. Returns their number.
int signal_handlers(pid_t root, int signal);

}  // namespace ydl::agent
