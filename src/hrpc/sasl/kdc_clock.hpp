#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace ydl::hrpc::sasl {

// How far the KDC's clock is ahead of ours (behind: negative), where it refuses a ticket for `server` because of that:
// asked once more, it says what time it has. Nothing when it does not answer or has no objection.
[[nodiscard]] std::optional<std::chrono::seconds> kdc_ahead_by(const std::string& cache, const std::string& server);

// The sentence for a user whose clock and the KDC's differ too much. Minutes only: a difference that Kerberos refuses
// has at least five of them, and the seconds change while the KDC answers.
[[nodiscard]] std::string describe_skew(std::optional<std::chrono::seconds> kdc_ahead);

}  // namespace ydl::hrpc::sasl
