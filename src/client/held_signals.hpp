#pragma once

#include "core/files.hpp"
#include "net/asio.hpp"

#include <csignal>
#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

namespace ydl::client {

// Of SIGINT, SIGTERM and SIGHUP those that this process does not ignore since its start: `nohup ydl run …` goes on when
// its terminal is closed.
[[nodiscard]] std::vector<int> handled_signals();

// Keeps SIGINT, SIGTERM and SIGHUP pending from before a job exists until they are handled. Otherwise a Ctrl-C in
// between would end this command without a message about the job that it has just started.
class HeldSignals {
 public:
  HeldSignals();
  ~HeldSignals() { release(); }
  HeldSignals(HeldSignals&& other) noexcept;
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
  HeldSignals& operator=(HeldSignals&&) = delete;

  // Signals that arrived meanwhile are delivered now.
  void release() noexcept;

 private:
  sigset_t before_{};
  bool holds_ = true;
};

// Turns a signal that HeldSignals keeps pending into a request to stop, while a step runs that may be interrupted.
// Signals that this process ignores since its start are not handled. Runs in the loop of its executor.
class Interruption {
 public:
  struct Reactions {
    std::function<void()> first;   // the current step is being stopped; tells the user
    std::function<void()> second;  // the user does not want to wait for that
  };

  Interruption(const net::asio::any_io_executor& executor, Reactions reactions);
  ~Interruption() { end(); }
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  [[nodiscard]] std::stop_token token() const;
  // Later signals stay pending.
  void end();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace ydl::client
