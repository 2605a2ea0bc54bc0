#include "cli/commands/slow_note.hpp"

#include "cli/commands/common.hpp"

#include <chrono>

namespace ydl::cli {

net::awaitable<void> note_when_slow(std::string sentence) {
  co_await net::pause(std::chrono::seconds(2));
  // The pause also ends when the answer has arrived.
  const auto state = co_await net::asio::this_coro::cancellation_state;
  if (state.cancelled() != net::asio::cancellation_type::none) co_return;
  note(sentence);
  for (;;) co_await net::pause(std::chrono::hours(1));
}

}  // namespace ydl::cli
