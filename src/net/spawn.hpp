#pragma once

#include "net/asio.hpp"

#include <functional>
#include <stdexcept>

namespace ydl::net {

// An exception that left a background coroutine. Its text names the coroutine.
class BackgroundFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Starts a coroutine that nobody awaits. Nothing in src does that in another way: `make check` looks for `detached`.
// `name` says what the coroutine does and must be a literal. An exception that leaves the coroutine is a bug or a lack
// of memory. It is thrown as a BackgroundFailure from the run() of the loop, where the process logs it and ends.
void spawn(const asio::any_io_executor& executor, const char* name, awaitable<void> work);

// Runs the loop until it has nothing to do or is stopped. The first failure is passed to `failed`, which may begin an
// orderly end, and the loop goes on. A second failure is thrown.
void run_loop(asio::io_context& context, const std::function<void(const BackgroundFailure&)>& failed);

}  // namespace ydl::net
