#pragma once

#include "net/asio.hpp"

#include <functional>
#include <stdexcept>

namespace ydl::net {

// An exception that left a background coroutine. Its message has the name of the coroutine.
class BackgroundFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Starts a coroutine whose result is not awaited. This is the only way to do so in src: `make check` rejects
// `detached`. `name` describes the coroutine in messages and must be a literal. An exception that leaves the coroutine
// is a bug or a lack of memory. It is thrown as a BackgroundFailure from run() of the loop, where the process logs it
// and exits.
void spawn(const asio::any_io_executor& executor, const char* name, awaitable<void> work);

// Runs the loop until it has no more work or is stopped. The first failure is passed to `failed`, which may start an
// orderly shutdown, and the loop continues. A second failure is thrown.
void run_loop(asio::io_context& context, const std::function<void(const BackgroundFailure&)>& failed);

}  // namespace ydl::net
