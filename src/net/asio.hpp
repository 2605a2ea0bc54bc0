#pragma once

#include "core/clock.hpp"
#include "core/result.hpp"

#include <chrono>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace ydl::net {

namespace asio = boost::asio;
using asio::awaitable;

// Completion token: `auto [error, n] = co_await stream.async_read_some(buffer, net::tuple);` no exception is thrown.
inline constexpr auto tuple = asio::as_tuple(asio::use_awaitable);

template <class T = void>
using Async = awaitable<core::Result<T>>;

// Lets the coroutines of one thread wait for an event: notify() wakes all coroutines that are waiting at this moment.
class Signal {
 public:
  explicit Signal(const asio::any_io_executor& executor) : timer_(executor, asio::steady_timer::time_point::max()) {}

  void notify() { timer_.cancel(); }

  // Returns after notify() or when the time is over.
  awaitable<void> wait(core::Millis at_most);

 private:
  asio::steady_timer timer_;
};

// Suspends the coroutine for this time without blocking the thread.
inline awaitable<void> pause(core::Millis time) {
  asio::steady_timer timer(co_await asio::this_coro::executor, time);
  (void)co_await timer.async_wait(tuple);
}

}  // namespace ydl::net
