#pragma once

#include "core/clock.hpp"
#include "net/asio.hpp"

#include <functional>

namespace ydl::net {

// Does in a thread of its own what would block the loop: a library that talks to the network itself. Returns whether
// it was done in time, or throws what it threw; when it was not done, the thread goes on with what it holds and nobody
// hears of it. `work` must own all it touches, and must not touch the loop.
[[nodiscard]] awaitable<bool> in_thread(std::function<void()> work, core::Millis at_most);

}  // namespace ydl::net
