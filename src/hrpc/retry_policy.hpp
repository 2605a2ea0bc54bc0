#pragma once

#include "core/clock.hpp"
#include "core/error.hpp"
#include "hrpc/method.hpp"
#include "hrpc/options.hpp"

#include <cstddef>
#include <string_view>

namespace ydl::hrpc {

// How far one attempt came.
enum class Progress {
  not_sent,  // no connection: the server cannot have seen it
  sent,      // the server may have done it
};

// One call so far.
struct Attempts {
  Repeat repeat = Repeat::never;
  std::size_t servers = 1;
  int failovers = 0;
  int retries = 0;        // on the same server
  core::Millis spent{0};  // since the first one began
};

struct Decision {
  enum class Action { give_up, same_server, next_server };
  Action action;
  core::Millis delay;
  std::string_view why;  // for people: after "gave up because", "tries again because"
};

// What to do after an attempt has failed, as Java's client decides it (RetryPolicies.FailoverOnNetworkExceptionRetry).
// `chance` in [0, 1) spreads the clients' waits. Pure.
[[nodiscard]] Decision decide(const core::Error& error, Progress progress, const Attempts& attempts,
                              const RetryOptions& options, double chance);

}  // namespace ydl::hrpc
