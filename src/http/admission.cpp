#include "http/admission.hpp"

#include "core/assert.hpp"

#include <algorithm>

namespace ydl::http {

std::optional<core::Instant> ConnectionTable::hold_until(core::Instant now) const {
  if (unauthenticated_.size() < max_unauthenticated_ || unauthenticated_.empty() || trust_ <= max_unauthenticated_ / 4)
    return std::nullopt;
  const auto end = std::min(last_key_ + kQuiet, unauthenticated_.begin()->second + kLongestWait);
  return end > now ? std::optional(end) : std::nullopt;
}

void ConnectionTable::showed_key(ConnectionId id, core::Instant now) {
  if (unauthenticated_.erase(id) == 0) return;
  last_key_ = now;
  trust_ = std::min(trust_ + 1, max_unauthenticated_);
}

void ConnectionTable::left(ConnectionId id) {
  if (unauthenticated_.erase(id) > 0 && trust_ > 0) --trust_;
}

ConnectionTable::Admission ConnectionTable::admit(core::Instant now) {
  if (unauthenticated_.empty()) last_key_ = now;
  Admission admission{++last_};
  if (unauthenticated_.size() >= max_unauthenticated_ && !unauthenticated_.empty()) {
    admission.dropped = unauthenticated_.begin()->first;
    left(*admission.dropped);
  }
  unauthenticated_.emplace(admission.id, now);
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
