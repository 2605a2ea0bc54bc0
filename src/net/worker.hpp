#pragma once

#include "net/asio.hpp"

#include <functional>
#include <memory>
#include <stop_token>

namespace ydl::net {

// One thread for work that would block the event loop: copies between file systems, programs of the system. Pieces of
// work run one after the other, in the order in which they were given. The thread starts with the first of them and
// ends in close(), which the destructor calls.
class Worker {
 public:
  // Work that takes long looks at the token now and then, and ends early once stop was requested. It must own all it
  // touches, and must not touch the loop.
  using Work = std::function<void(std::stop_token)>;

  Worker();
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Returns when the work was done, or throws what it threw. The coroutine's loop goes on meanwhile.
  // Errors: cancelled, if the worker was closed before this work began.
  [[nodiscard]] Async<> run(Work work);

  // Requests the current work to stop, waits for it, and drops what has not begun. For any thread but the worker's.
  void close();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ydl::net
