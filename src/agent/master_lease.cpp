#include "agent/master_lease.hpp"

#include "core/strings.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace ydl::agent {
namespace {

using core::Instant;
using core::Millis;
using core::Seconds;

constexpr Millis kLooksOften = Seconds(15);  // YARN restarts a master within seconds
constexpr Millis kFirstPeriod = Seconds(1);  // between two looks in that time
constexpr Millis kLaterPeriod = Seconds(5);  // between two looks after that time
constexpr Millis kLongestLook = Seconds(4);  // how long the agent waits for one look
constexpr Millis kLongestHello = Seconds(5);
// A master relies on it that an agent has ended 60 s after its revocation was written. Ending the task takes a part of
// that time.
constexpr Millis kBlindFor = Seconds(45);
// An agent that has never had a master has no tasks to lose.
constexpr Millis kFirstHello = Seconds(60);

}  // namespace

void MasterLease::heard(Instant now, std::int64_t epoch) {
  epoch_ = std::max(epoch_, epoch);
  last_known_ = now;
  unheard_since_.reset();
  last_look_.reset();
  why_unreadable_.clear();
  successor_.reset();
}

void MasterLease::unheard(Instant now, std::string why) {
  if (!unheard_since_) unheard_since_ = now;
  why_unheard_ = std::move(why);
}

void MasterLease::looked(Instant began, FolderLook look) {
  if (hears_master()) return;  // a master has answered meanwhile
  if (auto* unreadable = std::get_if<Unreadable>(&look)) {
    why_unreadable_ = std::move(unreadable->why);
    return;
  }
  auto& state = std::get<FolderState>(look);
  is_revoked_ = state.is_revoked;
  is_over_ = state.is_over;
  last_known_ = std::max(last_known_, began);
  why_unreadable_.clear();
  if (state.master && state.master->epoch > epoch_) successor_ = std::move(state.master);
}

Millis MasterLease::outlives_master() const {
  return epoch_ == 0 ? std::min(options_.outlives_master, kFirstHello) : options_.outlives_master;
}

Instant MasterLease::gives_up_at() const {
  const auto orphaned = *unheard_since_ + outlives_master();
  // If the whole machine was suspended for longer than that, the agent looks once before it gives up.
  const auto blind = std::max(last_known_ + kBlindFor, *unheard_since_ + kLongestLook);
  return options_.has_folder ? std::min(orphaned, blind) : orphaned;
}

std::optional<std::string> MasterLease::why_give_up(Instant now) const {
  if (is_revoked_) return "its master has given up this container and recorded that in the job's folder";
  if (is_over_) return "the job's folder shows that the job is over";
  if (now < gives_up_at()) return std::nullopt;
  if (now >= *unheard_since_ + outlives_master()) {
    return fmt::format("no master of the job has answered for {}: {}", core::format_duration(outlives_master()),
                       why_unheard_);
  }
  return fmt::format("no master of the job answers ({}), and the job's folder could not be read for {}: {}",
                     why_unheard_, core::format_duration(kBlindFor),
                     why_unreadable_.empty() ? "HDFS does not answer" : why_unreadable_);
}

MasterLease::Action MasterLease::next(Instant now) {
  if (hears_master()) return Wait{kLaterPeriod};
  if (auto why = why_give_up(now)) return GiveUp{*std::move(why)};
  const auto left = gives_up_at() - now;
  if (!options_.has_folder) return Wait{left};
  if (successor_) return SayHello{*std::exchange(successor_, std::nullopt), std::min(kLongestHello, left)};
  const auto period = now - *unheard_since_ < kLooksOften ? kFirstPeriod : kLaterPeriod;
  if (last_look_ && now - *last_look_ < period) return Wait{std::min(*last_look_ + period - now, left)};
  last_look_ = now;
  return Look{std::min(kLongestLook, left)};
}

}  // namespace ydl::agent
