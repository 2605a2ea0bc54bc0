#pragma once

#include "core/clock.hpp"
#include "core/files.hpp"
#include "net/asio.hpp"

#include <atomic>

namespace ydl::net {

// How a thread tells a coroutine that it is done. The thread wakes the loop through a descriptor, never through the
// loop's own objects: those may be gone by then. Thread and coroutine own it together.
class ThreadWake {
 public:
  ThreadWake();  // throws std::system_error where no descriptor is free

  // Called by the thread, once.
  void finish();
  // Called by the coroutine: whether the thread was done in time.
  [[nodiscard]] awaitable<bool> wait(core::Millis at_most);

 private:
  core::UniqueFd descriptor_;
  std::atomic<bool> done_ = false;
};

}  // namespace ydl::net
