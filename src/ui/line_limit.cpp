#include "ui/line_limit.hpp"

#include <algorithm>

namespace ydl::ui {

void LineLimit::refill(core::Instant now) {
  if (now <= refilled_) return;
  const std::chrono::duration<double> passed = now - refilled_;
  tokens_ = std::min(kBurst, tokens_ + passed.count() * kLinesPerSecond);
  refilled_ = now;
  if (tokens_ >= kLinesPerSecond) is_closed_ = false;
}

bool LineLimit::admits(core::Instant now) {
  refill(now);
  if (!is_closed_ && tokens_ < 1) is_closed_ = true;
  if (is_closed_) {
    ++left_out_;
    return false;
  }
  --tokens_;
  return true;
}

std::int64_t LineLimit::take_left_out(core::Instant now) {
  refill(now);
  return is_closed_ ? 0 : take_rest();
}

}  // namespace ydl::ui
