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

// base, 2 base, 4 base ... at most max; then between half and one and a half of it.
core::Millis backoff(int times, const RetryOptions& options, double chance) {
  const double exponential = std::ldexp(static_cast<double>(options.backoff_base.count()), std::min(times, 30));
  const double capped = std::min(exponential, static_cast<double>(options.backoff_max.count()));
  return core::Millis(std::llround(capped * (0.5 + chance)));
}

Decision next_server(const Attempts& attempts, const RetryOptions& options, double chance, std::string_view why) {
  if (attempts.failovers >= options.max_failovers) return give_up("no server of the group could serve it");
  // The first change costs nothing: the other server is usually the active one.
  const auto delay = attempts.failovers == 0 ? core::Millis(0) : backoff(attempts.failovers - 1, options, chance);
  return {Action::next_server, delay, why};
}

Decision same_server(const Attempts& attempts, const RetryOptions& options, core::Millis delay, std::string_view why) {
  if (attempts.retries >= options.max_retries) return give_up("it was tried as often as the configuration allows");
  if (attempts.spent + delay > options.patience) return give_up("it was tried for as long as a server is waited for");
  return {Action::same_server, delay, why};
}

// The server cannot be reached: nothing was done.
Decision unreachable(const Attempts& attempts, const RetryOptions& options, double chance) {
  if (attempts.servers > 1) return next_server(attempts, options, chance, "the server cannot be reached");
  return same_server(attempts, options, options.same_server_pause, "the server cannot be reached");
}

}  // namespace

Decision decide(const core::Error& error, Progress progress, const Attempts& attempts, const RetryOptions& options,
                double chance) {
  if (error.code.category() != error_category()) return give_up("it is not about the server");
  switch (static_cast<Errc>(error.code.value())) {
    case Errc::standby:
      if (attempts.servers == 1) return give_up("the configuration names only this server");
      return next_server(attempts, options, chance, "the server is in standby");
    case Errc::retriable:
      return same_server(attempts, options, backoff(attempts.retries, options, chance), "the server asked for it");
    case Errc::unreachable:
      return unreachable(attempts, options, chance);
    case Errc::timed_out:
    case Errc::connection_lost:
      if (progress == Progress::not_sent) return unreachable(attempts, options, chance);
      if (attempts.repeat == Repeat::never) return give_up("whether the server did it is not known");
      if (attempts.servers > 1) return next_server(attempts, options, chance, "the connection was lost");
      // A server that is there and does not answer will not answer the second time either.
      if (error.code == Errc::timed_out) return give_up("the server does not answer");
      return same_server(attempts, options, options.same_server_pause, "the connection was lost");
    default:
      return give_up("trying again would not change it");
  }
}

}  // namespace ydl::hrpc
