#pragma once

#include "core/clock.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace ydl::chaos {

using core::Instant;
using core::Millis;
using core::Seconds;

// A process: what it does happens later while it stands still (SIGSTOP).
using Owner = const void*;

// Simulated time: what is to happen later, in order, and the one source of random numbers. Two runs of one seed are the
// same, so that the steps of a failure are written only when its seed is run again.
class Simulation {
 public:
  Simulation(std::uint64_t seed, bool traces) : traces_(traces), random_(seed * 0x9E3779B97F4A7C15ULL + 1) {}

  [[nodiscard]] Instant now() const { return now_; }
  void after(Millis delay, std::function<void()> what, Owner owner = nullptr) {
    queue_.emplace(std::pair{now_ + std::max(delay, Millis(0)), ++number_}, Step{owner, std::move(what)});
  }
  void all_go_on() { goes_on_.clear(); }
  void stand_still(Owner owner, Millis time) { goes_on_[owner] = std::max(goes_on_[owner], now_ + time); }
  [[nodiscard]] bool stands_still(Owner owner) const {
    const auto found = goes_on_.find(owner);
    return found != goes_on_.end() && found->second > now_;
  }
  // Whether there was something to do before `end`.
  bool step(Instant end) {
    if (queue_.empty() || queue_.begin()->first.first > end) return false;
    auto first = queue_.extract(queue_.begin());
    now_ = std::max(now_, first.key().first);
    ++steps_;
    if (first.mapped().owner != nullptr && stands_still(first.mapped().owner)) {
      first.key() = {std::min(goes_on_[first.mapped().owner], now_ + kHop), ++number_};
      queue_.insert(std::move(first));
      return true;
    }
    first.mapped().what();
    return true;
  }
  // All that was to happen meanwhile comes at once.
  void jump(Millis time) {
    now_ += time;
    jumped_ = now_;
  }
  [[nodiscard]] bool has_just_jumped() const { return jumped_ && now_ - *jumped_ < Seconds(30); }

  [[nodiscard]] std::int64_t roll(std::int64_t sides) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(sides));
  }
  [[nodiscard]] bool chance(int one_in) { return one_in > 0 && roll(one_in) == 0; }
  [[nodiscard]] Millis between(Millis least, Millis most) { return least + Millis(roll((most - least).count() + 1)); }
  // Of a message in the network.
  [[nodiscard]] Millis latency() { return between(Millis(1), slow_network ? Millis(2'000) : Millis(20)); }

  template <class... T>
  void note(fmt::format_string<T...> format, T&&... values) {
    if (!traces_) return;
    constexpr std::size_t kMostLines = 120;
    const auto at = static_cast<double>(now_.time_since_epoch().count()) / 1000;
    trace_.push_back(fmt::format("{:9.3f}  {}", at, fmt::format(format, std::forward<T>(values)...)));
    if (trace_.size() > kMostLines && !keeps_all) trace_.pop_front();
  }
  void fail(std::string violation) {
    if (!violation_.empty()) return;
    note("VIOLATION {}", violation);
    violation_ = std::move(violation);
  }
  [[nodiscard]] const std::string& violation() const { return violation_; }
  [[nodiscard]] const std::deque<std::string>& trace() const { return trace_; }
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

  bool slow_network = false;
  bool keeps_all = false;  // lines of the trace

 private:
  static constexpr Millis kHop = Seconds(2);  // what stands still may go on before its time
  struct Step {
    Owner owner = nullptr;
    std::function<void()> what;
  };

  bool traces_;
  std::mt19937_64 random_;
  Instant now_{Seconds(1)};
  std::optional<Instant> jumped_;
  std::uint64_t number_ = 0;
  std::uint64_t steps_ = 0;
  std::map<std::pair<Instant, std::uint64_t>, Step> queue_;
  std::map<Owner, Instant> goes_on_;
  std::string violation_;
  std::deque<std::string> trace_;
};

}  // namespace ydl::chaos
