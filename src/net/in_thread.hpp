#pragma once

#include "core/clock.hpp"
#include "net/asio.hpp"

#include <functional>

namespace ydl::net {

// Runs work that would block the loop in a new thread, for example a library that does its own network I/O. Returns
// whether the work ended in time; rethrows its exception. Work that is late continues in its thread, and its outcome is
// ignored. `work` must own everything it uses and must not use the loop.
[[nodiscard]] awaitable<bool> in_thread(std::function<void()> work, core::Millis at_most);

}  // namespace ydl::net
