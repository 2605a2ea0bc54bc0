#include "hrpc/retry_policy.hpp"

#include "hrpc/errors.hpp"

#include <algorithm>
#include <cmath>

namespace ydl::hrpc {
namespace {

using Action = Decision::Action;

Decision give_up(std::string_view why) {
  return {Action::give_up, core::Millis(0), why};
}

// Exponential: base, 2 base, 4 base, up to max. Then multiplied by a random factor from 0.5 to 1.5.
core::Millis backoff(int times, const RetryOptions& options, double chance) {
  const double exponential = std::ldexp(static_cast<double>(options.backoff_base.count()), std::min(times, 30));
  const double capped = std::min(exponential, static_cast<double>(options.backoff_max.count()));
  return core::Millis(std::llround(capped * (0.5 + chance)));
}

Decision next_server(const Attempts& attempts, const RetryOptions& options, double chance, std::string_view why) {
  if (attempts.failovers >= options.max_failovers) return give_up("no server of the group could handle the call");
  // No delay before the first change: the other server is usually the active one.
  const auto delay = attempts.failovers == 0 ? core::Millis(0) : backoff(attempts.failovers - 1, options, chance);
  return {Action::next_server, delay, why};
}

Decision same_server(const Attempts& attempts, const RetryOptions& options, core::Millis delay, std::string_view why) {
  if (attempts.retries >= options.max_retries) return give_up("the configured number of retries is used up");
  if (attempts.spent + delay > options.patience) return give_up("the configured waiting time is over");
  return {Action::same_server, delay, why};
}

// The server cannot have seen the call, so a retry is always safe.
Decision unreachable(const Attempts& attempts, const RetryOptions& options, double chance) {
  if (attempts.servers > 1) return next_server(attempts, options, chance, "the server cannot be reached");
  return same_server(attempts, options, options.same_server_pause, "the server cannot be reached");
}

}  // namespace

Decision decide(const core::Error& error, Progress progress, const Attempts& attempts, const RetryOptions& options,
                double chance) {
  if (error.code.category() != error_category()) return give_up("the error is not caused by the server");
  switch (static_cast<Errc>(error.code.value())) {
    case Errc::standby:
      if (attempts.servers == 1) return give_up("the configuration names no other server");
      return next_server(attempts, options, chance, "the server is in standby");
    case Errc::retriable:
      return same_server(attempts, options, backoff(attempts.retries, options, chance), "the server asked for a retry");
    case Errc::unreachable:
      return unreachable(attempts, options, chance);
    case Errc::timed_out:
    case Errc::connection_lost:
      if (progress == Progress::not_sent) return unreachable(attempts, options, chance);
      if (attempts.repeat == Repeat::never) return give_up("it is unknown whether the server executed the call");
      if (attempts.servers > 1) return next_server(attempts, options, chance, "the connection was lost");
      // A server that accepts connections but does not answer will probably not answer a second time either.
      if (error.code == Errc::timed_out) return give_up("the server does not answer");
      return same_server(attempts, options, options.same_server_pause, "the connection was lost");
    default:
      return give_up("a retry would have the same result");
  }
}

}  // namespace ydl::hrpc
