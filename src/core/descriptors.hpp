#pragma once

#include "core/result.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <sys/resource.h>

// Limits of file descriptors. Most shells set a soft limit of 1,024 per process; the hard limit is usually much higher.
namespace ydl::core {

// Raises this process's soft limit to its hard limit. A process that waits with select() cannot use descriptors above
// 1,024, so programs started from here must not inherit the raised limit.
void raise_descriptor_limit();

// The limit before raise_descriptor_limit(), to be restored for child processes; empty if it was not raised.
[[nodiscard]] std::optional<rlimit> original_descriptor_limit();

// The current soft limit of this process.
[[nodiscard]] std::uint64_t descriptor_limit();

// Errors: no_capacity, when `needed` is more than `limit`; the message has both numbers and the remedy. `what` is the
// subject of the message: "a job of 2000 tasks".
[[nodiscard]] Result<void> check_descriptors(std::string_view what, std::uint64_t needed, std::uint64_t limit);

}  // namespace ydl::core
