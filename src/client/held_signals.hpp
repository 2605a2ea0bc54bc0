#pragma once

#include "core/files.hpp"
#include "net/asio.hpp"

#include <csignal>
#include <functional>
#include <memory>
#include <stop_token>

namespace ydl::client {

// Keeps SIGINT, SIGTERM and SIGHUP pending from before a job exists until someone handles them: a Ctrl-C in between
// would end this command without a word about the job it has just started.
class HeldSignals {
 public:
  HeldSignals();
  ~HeldSignals() { release(); }
  HeldSignals(HeldSignals&& other) noexcept;
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
  HeldSignals& operator=(HeldSignals&&) = delete;

  // Those that came meanwhile arrive now.
  void release() noexcept;

 private:
  sigset_t before_{};
  bool holds_ = true;
};

// Turns a signal that HeldSignals keeps pending into a request to stop, while something runs that may be interrupted.
// A signal that this process was started to ignore is not looked at. Runs on the loop of its executor.
class Interruption {
 public:
  struct Reactions {
    std::function<void()> first;   // what is done is being stopped: people are told
    std::function<void()> second;  // nobody wants to wait for that
  };

  Interruption(const net::asio::any_io_executor& executor, Reactions reactions);
  ~Interruption() { end(); }
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  [[nodiscard]] std::stop_token token() const;
  // A signal that comes from now on stays pending.
  void end();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace ydl::client
