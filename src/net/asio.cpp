#include "net/asio.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>

namespace ydl::net {

awaitable<void> Signal::wait(core::Millis at_most) {
  using asio::experimental::awaitable_operators::operator||;
  asio::steady_timer deadline(timer_.get_executor(), at_most);
  (void)co_await (timer_.async_wait(tuple) || deadline.async_wait(tuple));
}

}  // namespace ydl::net
