#include "http/admission.hpp"

#include "core/assert.hpp"

#include <algorithm>

namespace ydl::http {

std::optional<core::Instant> ConnectionBook::hold_until(core::Instant now) const {
  if (strangers_.size() < max_strangers_ || strangers_.empty() || trust_ <= max_strangers_ / 4) return std::nullopt;
  const auto end = std::min(last_key_ + kQuiet, strangers_.begin()->second + kLongestWait);
  return end > now ? std::optional(end) : std::nullopt;
}

void ConnectionBook::showed_key(ConnectionId id, core::Instant now) {
  if (strangers_.erase(id) == 0) return;
  last_key_ = now;
  trust_ = std::min(trust_ + 1, max_strangers_);
}

void ConnectionBook::left(ConnectionId id) {
  if (strangers_.erase(id) > 0 && trust_ > 0) --trust_;
}

ConnectionBook::Admission ConnectionBook::admit(core::Instant now) {
  if (strangers_.empty()) last_key_ = now;
  Admission admission{++last_};
  if (strangers_.size() >= max_strangers_ && !strangers_.empty()) {
    admission.dropped = strangers_.begin()->first;
    left(*admission.dropped);
  }
  strangers_.emplace(admission.id, now);
  return admission;
}

bool BodyBudget::take(std::size_t bytes) {
  if (bytes > left_) return false;
  left_ -= bytes;
  return true;
}

void BodyBudget::give_back(std::size_t bytes) {
  YDL_ASSERT(bytes <= total_ - left_);
  left_ += bytes;
}

}  // namespace ydl::http
