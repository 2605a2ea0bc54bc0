#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace ydl::hrpc::sasl {

// How far the KDC's clock is ahead of ours (behind: negative), where it refuses a ticket for `server` because of that:
// asked once more, it says what time it has. Nothing when it does not answer or has no objection.
[[nodiscard]] std::optional<std::chrono::seconds> kdc_ahead_by(const std::string& cache, const std::string& server);

}  // namespace ydl::hrpc::sasl
