#pragma once

#include "net/asio.hpp"
#include "support/process_probe.hpp"

#include <functional>
#include <optional>
#include <stdexcept>
#include <type_traits>

namespace ydl::test {

// An event loop for tests: it runs until a condition is true, and gives up after a time that is only reached by a hang.
class Loop {
 public:
  [[nodiscard]] net::asio::any_io_executor executor() { return context_.get_executor(); }

  // Returns whether the condition became true in time.
  [[nodiscard]] bool until(const std::function<bool()>& holds, core::Millis limit = kPatience) {
    const auto deadline = core::steady_now() + limit;
    while (!holds()) {
      const auto left = deadline - core::steady_now();
      if (left <= core::Millis(0)) return false;
      context_.restart();
      context_.run_one_for(std::min(left, core::Millis(20)));
    }
    return true;
  }

  // Runs everything that can be done without waiting.
  void settle() {
    context_.restart();
    context_.poll();
  }

  void spawn(net::awaitable<void> work) { net::asio::co_spawn(context_, std::move(work), rethrow); }

  // Runs the coroutine and returns its result. Throws if it does not return in time.
  template <class T>
  T run(net::awaitable<T> work) {
    std::optional<T> result;
    net::asio::co_spawn(context_, std::move(work), [&](const std::exception_ptr& error, T value) {
      rethrow(error);
      result.emplace(std::move(value));
    });
    if (!until([&] { return result.has_value(); })) throw std::runtime_error("a coroutine did not end in time");
    return *std::move(result);
  }
  void run(net::awaitable<void> work) {
    bool done = false;
    net::asio::co_spawn(context_, std::move(work), [&](const std::exception_ptr& error) {
      rethrow(error);
      done = true;
    });
    if (!until([&] { return done; })) throw std::runtime_error("a coroutine did not end in time");
  }

 private:
  static void rethrow(const std::exception_ptr& error) {
    if (error) std::rethrow_exception(error);
  }

  net::asio::io_context context_{1};
};

}  // namespace ydl::test
