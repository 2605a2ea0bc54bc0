#pragma once

#include "core/clock.hpp"

namespace ydl::agent {

// Whether a task writes nothing for longer than it may. Pure.
class Silence {
 public:
  enum class News { none, silent, writes };

  explicit Silence(core::Millis limit) : limit_(limit) {}  // 0: it may

  // The task starts, or something of it was read.
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
