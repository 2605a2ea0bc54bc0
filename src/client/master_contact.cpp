#include "client/master_contact.hpp"

#include "core/strings.hpp"
#include "net/errors.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ydl::client {

namespace {

// In whole seconds, for users.
core::Millis since(core::Instant then, core::Instant now) {
  return std::chrono::floor<core::Seconds>(now - then);
}

}  // namespace

std::optional<std::string> MasterContact::answered(core::Instant now) {
  const auto silence = since(last_answer_, now);
  last_answer_ = now;
  pause_ = kFirstPause;
  evidence_ = MasterEvidence::unknown;
  why_.clear();
  has_answered_ = true;
  gone_ = false;
  const bool was_noticed = std::exchange(noticed_, false);
  if (std::exchange(gone_told_, false))
    return fmt::format("a new master has taken over the job, after {}", core::format_duration(silence));
  if (!was_noticed) return std::nullopt;
  return fmt::format("the job's master answers again, after {}", core::format_duration(silence));
}

MasterContact::Next MasterContact::failed(MasterEvidence evidence, const core::Error& why) {
  evidence_ = evidence;
  why_ = why.message;
  if (evidence == MasterEvidence::over) return {Next::Kind::over, core::Millis(0)};
  const bool is_stranger = why.code == net::Errc::untrusted && !has_answered_;
  if (evidence == MasterEvidence::refused || is_stranger || why.code == core::Errc::refused)
    return {Next::Kind::give_up, core::Millis(0)};
  const auto pause = pause_;
  pause_ = std::min(2 * pause_, kLongestPause);
  gone_ = gone_ || evidence == MasterEvidence::gone;
  return {evidence == MasterEvidence::gone ? Next::Kind::look_again : Next::Kind::ask_again, pause};
}

std::optional<std::string> MasterContact::notice(core::Instant now) {
  if (gone_ && !std::exchange(gone_told_, true)) return std::string(kMasterGone);
  const auto silence = since(last_answer_, now);
  const bool is_awaited = gone_ && evidence_ != MasterEvidence::unknown;  // which the user was already told
  if (noticed_ || is_awaited || silence < kNoticeAfter) return std::nullopt;
  noticed_ = true;
  const auto time = core::format_duration(silence);
  const auto detail = why_.empty() ? "" : fmt::format(" ({})", why_);
  if (witness_ == Witness::process) {
    return fmt::format("the job's master has not answered for {}{}; its process still runs, so ydl keeps trying", time,
                       detail);
  }
  if (evidence_ == MasterEvidence::running || evidence_ == MasterEvidence::replaced) {
    return fmt::format(
        "the job's master has not answered for {}{}; the ResourceManager reports that the application "
        "is running, so ydl keeps trying",
        time, detail);
  }
  return fmt::format(
      "neither the job's master nor the ResourceManager has answered for {}{}; ydl keeps trying, and "
      "the job may continue meanwhile",
      time, detail);
}

}  // namespace ydl::client
