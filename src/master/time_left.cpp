#include "master/time_left.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace ydl::master {
namespace {

constexpr int kLeastSteps = 3;
constexpr std::size_t kMostSamples = 16;
constexpr core::Millis kLeastTime = core::Seconds(5);
constexpr core::Millis kLeastPatience = core::Seconds(30);
constexpr core::Millis kMostLeft = std::chrono::hours(24 * 100);
constexpr int kMostFalls = 2;

double seconds(core::Millis duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

void TimeLeft::note(double fraction, core::Instant now) {
  if (!(fraction >= 0 && fraction <= 1)) return;
  if (!samples_.empty() && fraction < newest_.fraction) {
    samples_.clear();
    ++falls_;
  }
  if (samples_.empty()) {
    spacing_ = core::Millis(0);
    newest_ = {now, fraction, 0};
    samples_ = {newest_};
    return;
  }
  if (fraction == newest_.fraction) return;  // only the text has changed
  newest_ = {now, fraction, newest_.step + 1};
  if (now - samples_.back().at < spacing_) return;
  samples_.push_back(newest_);
  if (samples_.size() < kMostSamples) return;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < samples_.size(); i += 2) samples_[kept++] = samples_[i];
  samples_.resize(kept);
  spacing_ = (now - samples_.front().at) / static_cast<core::Millis::rep>(kMostSamples / 2);
}

// Only the newer half of the time counts, because the first steps often take longer.
const TimeLeft::Sample& TimeLeft::middle() const {
  const auto wanted = newest_.at - (newest_.at - samples_.front().at) / 2;
  const auto latest = newest_.at - kLeastTime / 2;
  const auto distance = [&](const Sample& sample) {
    const auto away = sample.at < wanted ? wanted - sample.at : sample.at - wanted;
    return sample.at <= latest ? away : core::Millis::max();
  };
  return *std::ranges::min_element(samples_, {}, distance);
}

std::optional<core::Millis> TimeLeft::left(core::Instant now) const {
  if (samples_.empty() || falls_ > kMostFalls || newest_.step < kLeastSteps) return std::nullopt;
  if (newest_.at - samples_.front().at < kLeastTime || newest_.fraction >= 1) return std::nullopt;
  const auto& from = middle();
  const auto span = newest_.at - from.at;
  const int steps = newest_.step - from.step;
  const double rate = (newest_.fraction - from.fraction) / seconds(span);
  if (!(rate > 0) || steps <= 0) return std::nullopt;
  // If a task has been quiet for much longer than a step takes, its progress has stopped.
  const auto quiet = now - newest_.at;
  if (quiet > std::max(kLeastPatience, 3 * span / steps)) return std::nullopt;
  const double left = (1 - newest_.fraction) / rate;
  if (left > seconds(kMostLeft)) return std::nullopt;
  return std::max(core::Millis(0), core::Millis(std::llround(left * 1000)) - quiet);
}

}  // namespace ydl::master
