#pragma once

#include "core/clock.hpp"

namespace ydl::agent {

// Detects that a task writes nothing for longer than a limit. Pure.
class Silence {
 public:
  enum class News { none, silent, writes };

  explicit Silence(core::Millis limit) : limit_(limit) {}  // 0: no limit

  // The task has started or has written.
  void wrote(core::Instant now) { last_ = now; }
  // What has changed since the last call.
  [[nodiscard]] News news(core::Instant now) {
    const bool is_silent = limit_ > core::Millis(0) && now - last_ >= limit_;
    if (is_silent == was_silent_) return News::none;
    was_silent_ = is_silent;
    return is_silent ? News::silent : News::writes;
  }

 private:
  core::Millis limit_;
  core::Instant last_{};
  bool was_silent_ = false;
};

}  // namespace ydl::agent
