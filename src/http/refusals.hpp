#pragma once

#include "core/clock.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace ydl::http {

enum class Refusal {
  no_key,          // a call without a key
  wrong_key,       // a call with a key that is not valid for it
  not_allowed,     // a call of a user without permission in the job's ACL
  not_tls,         // not TLS, or the caller rejected the certificate
  no_certificate,  // the handshake failed because callers must have a certificate
  not_http,        // not an HTTP request
  no_header,       // the header was not complete in time
  dropped,         // the oldest connection without a key, closed for a newer one
  large_body,      // a body above the limit of its call
  no_body,         // the body was not complete in time
};
[[nodiscard]] std::string_view describe(Refusal refusal);

// Summarises refused calls in lines for the owner: caller, reason, count. The first one is reported immediately, later
// ones together and at most once a minute. The memory does not grow with the number of calls or callers. Pure.
class RefusalLog {
 public:
  static constexpr core::Millis kPeriod = core::Seconds(60);
  static constexpr std::size_t kMostGroups = 5;  // per line; all other callers are counted together

  void add(std::string_view address, Refusal what);
  // The time at which the next line may be reported; nothing if there is none.
  [[nodiscard]] std::optional<core::Instant> due() const;
  // The next line, if it is due.
  [[nodiscard]] std::optional<std::string> take(core::Instant now);

 private:
  std::map<std::pair<std::string, Refusal>, std::uint64_t, std::less<>> groups_;
  std::uint64_t others_ = 0;
  core::Instant next_{};
};

}  // namespace ydl::http
