#include "cli/args/job_selection.hpp"

#include "core/job_states.hpp"
#include "core/strings.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ydl::cli {
namespace {

using core::Errc;
using core::fail;
using core::Result;

constexpr std::string_view kUnreadable = "unreadable";

std::vector<std::string_view> state_words() {
  std::vector<std::string_view> words(core::EnumNames<core::JobState>::kNames.begin(),
                                      core::EnumNames<core::JobState>::kNames.end());
  words.push_back(kUnreadable);
  return words;
}

// A date, or a date with hours and minutes or more, in the form that parse_utc() reads.
std::optional<core::WallTime> parse_date(std::string_view text) {
  constexpr std::string_view kMidnight = "T00:00:00.000";
  std::string full(text.substr(0, text.find('Z')));
  if (full.size() > 10 && full[10] == ' ') full[10] = 'T';
  if (full.size() != 10 && full.size() != 16 && full.size() != 19 && full.size() != 23) return std::nullopt;
  full += kMidnight.substr(full.size() - 10);
  return core::parse_utc(full + "Z");
}

}  // namespace

Result<Moment> parse_moment(std::string_view option, std::string_view text) {
  if (const auto date = parse_date(text)) return Moment(*date);
  if (const auto ago = core::parse_duration(text)) return Moment(*ago);
  return fail(
      Errc::usage,
      fmt::format("{} {}: write how long ago, for example 90s, 15m, 1h or 2d, or a date, for example 2026-11-15 "
                  "or 2026-11-15T08:30 (UTC)",
                  option, text));
}

core::WallTime resolve(const Moment& moment, core::WallTime now) {
  if (const auto* ago = std::get_if<core::Millis>(&moment)) return now - *ago;
  return std::get<core::WallTime>(moment);
}

std::string_view state_word(const jobs::JobSummary& job) {
  return job.state ? core::name(*job.state) : kUnreadable;
}

Result<std::vector<std::string>> parse_states(std::string_view text) {
  const auto known = state_words();
  std::vector<std::string> states;
  for (const auto part : core::split(text, ',')) {
    const auto word = core::trim(part);
    if (std::ranges::find(known, word) == known.end()) {
      return fail(Errc::usage, fmt::format("--state {}: '{}' is not a state of a job{}; choose from {}", text, word,
                                           core::did_you_mean(word, known), fmt::join(known, ", ")));
    }
    states.emplace_back(word);
  }
  return states;
}

bool JobSelection::selects(const jobs::JobSummary& job, core::WallTime now) const {
  if (!states.empty() && std::ranges::find(states, state_word(job)) == states.end()) return false;
  if (since && (!job.created || *job.created < resolve(*since, now))) return false;
  const auto ended = ended_at(job);
  return !older_than || (ended && *ended <= now - *older_than);
}

}  // namespace ydl::cli
