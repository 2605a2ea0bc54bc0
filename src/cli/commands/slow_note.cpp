#include "cli/commands/slow_note.hpp"

#include "cli/commands/common.hpp"

#include <chrono>

namespace ydl::cli {

net::awaitable<void> note_when_slow(std::string sentence) {
  co_await net::pause(std::chrono::seconds(2));
  note(sentence);
  for (;;) co_await net::pause(std::chrono::hours(1));
}

}  // namespace ydl::cli
