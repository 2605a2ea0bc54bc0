#pragma once

#include "net/asio.hpp"

#include <functional>
#include <memory>
#include <stop_token>

namespace ydl::net {

// One thread for work that would block the event loop, such as copies between file systems or running system programs.
// Pieces of work run one after the other, in the order of the run() calls. The thread starts with the first of them and
// ends in close(), which the destructor calls.
class Worker {
 public:
  // Long work checks the token regularly and ends early after a stop request. Work must own everything it uses and must
  // not use the loop.
  using Work = std::function<void(std::stop_token)>;

  Worker();
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Returns when the work is done; rethrows its exception. The loop of the coroutine continues in the meantime. Errors:
  // cancelled, if the worker was closed before this work started; no_capacity, if the thread could not be started.
  [[nodiscard]] Async<> run(Work work);

  // Asks the current work to stop, waits for it, and drops work that has not started. Must not be called from the
  // worker's thread.
  void close();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ydl::net
