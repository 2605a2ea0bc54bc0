#pragma once

#include "core/clock.hpp"
#include "core/error.hpp"
#include "hrpc/method.hpp"
#include "hrpc/options.hpp"

#include <cstddef>
#include <string_view>

namespace ydl::hrpc {

// How far an attempt got.
enum class Progress {
  not_sent,  // no connection: the server cannot have seen the call
  sent,      // the server may have executed the call
};

// The attempts of one call so far.
struct Attempts {
  Repeat repeat = Repeat::never;
  std::size_t servers = 1;
  int failovers = 0;
  int retries = 0;        // on the same server
  core::Millis spent{0};  // since the start of the first attempt
};

struct Decision {
  enum class Action { give_up, same_server, next_server };
  Action action;
  core::Millis delay;
  std::string_view why;  // the reason, for messages: "gave up because ...", "tries again because ..."
};

// Decides what to do after a failed attempt, like Java's client (RetryPolicies.FailoverOnNetworkExceptionRetry).
// `chance` is a random number in [0, 1), so that clients do not all retry at the same time. Pure.
[[nodiscard]] Decision decide(const core::Error& error, Progress progress, const Attempts& attempts,
                              const RetryOptions& options, double chance);

}  // namespace ydl::hrpc
