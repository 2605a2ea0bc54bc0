#pragma once

#include "core/clock.hpp"
#include "core/files.hpp"
#include "net/asio.hpp"

#include <atomic>

namespace ydl::net {

// Lets a thread tell a coroutine that its work is done. The thread wakes the loop through a descriptor and never uses
// objects of the loop, which may no longer exist. The thread and the coroutine share ownership.
class ThreadWake {
 public:
  ThreadWake();  // throws std::system_error if no descriptor is free

  // Called by the thread, once.
  void finish();
  // Called by the coroutine. Returns whether the thread finished in time.
  [[nodiscard]] awaitable<bool> wait(core::Millis at_most);

 private:
  core::UniqueFd descriptor_;
  std::atomic<bool> done_ = false;
};

}  // namespace ydl::net
