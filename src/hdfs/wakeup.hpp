#pragma once

#include "core/clock.hpp"
#include "net/asio.hpp"

namespace ydl::hdfs {

// One coroutine waits until another of the same thread says so. Cheaper than net::Signal where it happens for every
// packet: one timer, no second coroutine.
class Wakeup {
 public:
  explicit Wakeup(const net::asio::any_io_executor& executor) : timer_(executor) {}

  // True when woken, false when the time was over.
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
