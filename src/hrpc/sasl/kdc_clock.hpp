#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace ydl::hrpc::sasl {

// How far the KDC's clock is ahead of ours (negative: behind), after it refused a ticket for `server` because of this.
// Requests the ticket again to get the KDC's time from the error. Nothing if the KDC does not answer or issues the
// ticket.
[[nodiscard]] std::optional<std::chrono::seconds> kdc_ahead_by(const std::string& cache, const std::string& server);

// The message for too large a difference between our clock and the KDC's. It has whole minutes only: Kerberos refuses
// differences of more than five minutes, so seconds do not matter.
[[nodiscard]] std::string describe_skew(std::optional<std::chrono::seconds> kdc_ahead);

}  // namespace ydl::hrpc::sasl
