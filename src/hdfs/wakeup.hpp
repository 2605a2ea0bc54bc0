#pragma once

#include "core/clock.hpp"
#include "net/asio.hpp"

namespace ydl::hdfs {

// Lets one coroutine wait for another one of the same thread. It is used for every packet, so it is cheaper than
// net::Signal: a single timer and no second coroutine.
class Wakeup {
 public:
  explicit Wakeup(const net::asio::any_io_executor& executor) : timer_(executor) {}

  // True after notify(), false after the time limit.
  net::awaitable<bool> wait(core::Millis at_most) {
    timer_.expires_after(at_most);
    const auto [error] = co_await timer_.async_wait(net::tuple);
    co_return static_cast<bool>(error);
  }
  void notify() { timer_.cancel(); }

 private:
  net::asio::steady_timer timer_;
};

}  // namespace ydl::hdfs
