#pragma once

#include "agent/files/results_store.hpp"
#include "net/asio.hpp"

#include <chrono>
#include <memory>

namespace ydl::agent {

// A part of an attempt that ends once. Others can wait for that.
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

// Notified when the agent has nothing left of an attempt: no process, no copy in progress, and no resources.
struct Departure : Ending {
  using Ending::Ending;

  ResultsStamp results;  // the results in HDFS that are the same as those in its folder
};

// A released attempt whose directories a later attempt uses.
struct EarlierAttempt {
  int number = 0;
  std::shared_ptr<Departure> departure;
};

}  // namespace ydl::agent
