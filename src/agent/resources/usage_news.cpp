#include "agent/resources/usage_news.hpp"

#include <algorithm>

namespace ydl::agent {
namespace {

constexpr core::Seconds kSmallChanges{60};  // what little has changed is told this often
// Users are told of a task that has written nothing for 30 s, so the data of the master must be newer than that.
constexpr core::Seconds kLogGrew{20};
constexpr std::int64_t kCpuStep = 10;                          // percent of a core
constexpr std::int64_t kMemoryStep = std::int64_t{16} << 20U;  // bytes

// Whether a value has changed by more than a tenth of what was reported, and by more than `step`.
template <class Number>
bool has_moved(const std::optional<Number>& now, const std::optional<Number>& before, std::int64_t step) {
  if (now.has_value() != before.has_value()) return true;
  if (!now) return false;
  const auto was = static_cast<std::int64_t>(*before);
  const auto change = static_cast<std::int64_t>(*now) - was;
  return std::max(change, -change) >= std::max(step, was / 10);
}

}  // namespace

void UsageNews::reported(core::Instant now) {
  reported_ = latest_;
  reported_at_ = now;
}

bool UsageNews::is_worth_report(core::Instant now, core::Instant grew_at) const {
  if (!reported_at_) return latest_ != Usage{};
  const auto age = now - *reported_at_;
  if (grew_at > *reported_at_ && age >= kLogGrew) return true;
  if (age >= kSmallChanges && latest_ != reported_) return true;
  return has_moved(latest_.cpu_percent, reported_.cpu_percent, kCpuStep) ||
         has_moved(latest_.memory_bytes, reported_.memory_bytes, kMemoryStep);
}

}  // namespace ydl::agent
