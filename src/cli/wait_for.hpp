#pragma once

#include "net/asio.hpp"

#include <boost/asio/io_context.hpp>

namespace ydl::cli {

// Runs a coroutine to its end, for code that is none; the answer. What else goes on in the context (connections that
// are kept open, say) rests until it is run again.
template <class T>
core::Result<T> wait_for(net::asio::io_context& context, net::Async<T> work) {
  core::Result<T> answer = core::fail(core::Errc::cancelled, "it was interrupted");
  net::asio::co_spawn(
      context,
      [&]() -> net::awaitable<void> {
        answer = co_await std::move(work);
        context.stop();
      },
      net::asio::detached);
  context.restart();
  context.run();
  return answer;
}

}  // namespace ydl::cli
