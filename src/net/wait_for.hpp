#pragma once

#include "net/spawn.hpp"

#include <boost/asio/io_context.hpp>

namespace ydl::net {

template <class T>
awaitable<void> finish(Async<T> work, core::Result<T>& answer, asio::io_context& context) {
  answer = co_await std::move(work);
  context.stop();
}

// Runs a coroutine to completion from ordinary code and returns its result. Other work of the context, such as open
// connections, pauses until the context is run again.
template <class T>
core::Result<T> wait_for(asio::io_context& context, Async<T> work) {
  core::Result<T> answer = core::fail(core::Errc::cancelled, "it was interrupted");
  spawn(context.get_executor(), "a call", finish(std::move(work), answer, context));
  context.restart();
  context.run();
  context.restart();
  return answer;
}

}  // namespace ydl::net
