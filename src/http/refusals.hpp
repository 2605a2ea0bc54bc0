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
  wrong_key,       // one with a key that does not open it
  not_allowed,     // a call of somebody whom the job's ACL does not allow it
  not_tls,         // bytes that are not TLS, or a caller that does not accept the certificate
  no_certificate,  // the handshake failed where callers must show a certificate
  not_http,        // bytes that are not a request
  no_header,       // the header was not complete in time
  dropped,         // the oldest connection without a key, closed for a newer one
  large_body,      // a body over the limit of its call
  no_body,         // the body was not complete in time
};
[[nodiscard]] std::string_view describe(Refusal refusal);

// Refused calls as lines for people: who, what, how often. The first is told at once, later ones at most once a minute
// and together. Its memory does not grow with the number of calls or callers. Pure.
class RefusalLog {
 public:
  static constexpr core::Millis kPeriod = core::Seconds(60);
  static constexpr std::size_t kMostGroups = 5;  // of one line; further callers are counted together

  void add(std::string_view address, Refusal what);
  // When the next line may be told; nothing where there is none.
  [[nodiscard]] std::optional<core::Instant> due() const;
  // The line, if one is due.
  [[nodiscard]] std::optional<std::string> take(core::Instant now);

 private:
  std::map<std::pair<std::string, Refusal>, std::uint64_t, std::less<>> groups_;
  std::uint64_t others_ = 0;
  core::Instant next_{};
};

}  // namespace ydl::http
