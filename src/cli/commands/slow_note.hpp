#pragma once

#include "net/asio.hpp"

#include <string>

#include <boost/asio/experimental/awaitable_operators.hpp>

namespace ydl::cli {

// Prints a sentence on standard error after two seconds; does not return.
[[nodiscard]] net::awaitable<void> note_when_slow(std::string sentence);

// The answer of a cluster for which a person waits. A wait of more than two seconds is explained.
template <class T>
net::Async<T> with_slow_note(net::Async<T> work, std::string sentence) {
  using net::asio::experimental::awaitable_operators::operator||;
  auto done = co_await (std::move(work) || note_when_slow(std::move(sentence)));
  co_return std::move(std::get<0>(done));
}

}  // namespace ydl::cli
