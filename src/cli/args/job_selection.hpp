#pragma once

#include "core/clock.hpp"
#include "core/result.hpp"
#include "jobs/job_summary.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

// Which jobs `ydl ls` shows and `ydl rm` deletes, by their state and their age.
namespace ydl::cli {

// A moment as people write it: how long ago it was, or the time itself.
using Moment = std::variant<core::Millis, core::WallTime>;

// "90s", "15m", "1h", "2d", "2026-11-15", "2026-11-15T08:30"; times without a zone are UTC, as `ydl ls` shows them.
// Errors: usage, which names `option`.
[[nodiscard]] core::Result<Moment> parse_moment(std::string_view option, std::string_view text);
[[nodiscard]] core::WallTime resolve(const Moment& moment, core::WallTime now);

// The name that `ydl ls` gives to the state of a job.
[[nodiscard]] std::string_view state_word(const jobs::JobSummary& job);

// The states in "failed,lost". Errors: usage, for a word that is not a state.
[[nodiscard]] core::Result<std::vector<std::string>> parse_states(std::string_view text);

// A job is selected if all conditions that are set hold.
struct JobSelection {
  std::vector<std::string> states = {};         // one of these; empty: any
  std::optional<Moment> since = {};             // submitted then or later
  std::optional<core::Millis> older_than = {};  // ended at least as long ago

  [[nodiscard]] bool is_set() const { return !states.empty() || since || older_than; }
  // A time that is not known does not fulfil a condition about it.
  [[nodiscard]] bool selects(const jobs::JobSummary& job, core::WallTime now) const;
};

}  // namespace ydl::cli
