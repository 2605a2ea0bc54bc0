#pragma once

#include <csignal>
#include <utility>

namespace ydl::cli {

// Keeps SIGINT, SIGTERM and SIGHUP waiting from before a job exists until someone handles them: a Ctrl-C in between
// would end this command without a word about the job it has just started.
class HeldSignals {
 public:
  HeldSignals() {
    sigset_t held;
    ::sigemptyset(&held);
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&held, number);
    ::sigprocmask(SIG_BLOCK, &held, &before_);
  }
  ~HeldSignals() { release(); }
  HeldSignals(HeldSignals&& other) noexcept : before_(other.before_), holds_(std::exchange(other.holds_, false)) {}
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
  HeldSignals& operator=(HeldSignals&&) = delete;

  // Those that came meanwhile arrive now.
  void release() noexcept {
    if (std::exchange(holds_, false)) ::sigprocmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t before_{};
  bool holds_ = true;
};

}  // namespace ydl::cli
