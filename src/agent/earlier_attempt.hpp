#pragma once

#include "agent/files/results_store.hpp"
#include "net/asio.hpp"

#include <chrono>
#include <memory>

namespace ydl::agent {

// Something of an attempt that ends once, and that others wait for.
struct Ending {
  explicit Ending(const net::asio::any_io_executor& executor) : signal(executor) {}

  void tell() {
    is_over = true;
    signal.notify();
  }
  [[nodiscard]] static net::awaitable<void> wait(std::shared_ptr<Ending> self) {
    while (!self->is_over) co_await self->signal.wait(std::chrono::hours(1));
  }

  net::Signal signal;
  bool is_over = false;
};

// Told when nothing of an attempt is left at its agent: no process, no copy that is under way, nothing that it held.
struct Departure : Ending {
  using Ending::Ending;

  ResultsStamp results;  // which results on HDFS are the ones that it left in its folder
};

// The attempt that had the directories of another one before it, and was released.
struct EarlierAttempt {
  int number = 0;
  std::shared_ptr<Departure> departure;
};

}  // namespace ydl::agent
