#pragma once

#include "core/result.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <sys/resource.h>

// File descriptors: most shells allow a process 1,024, and the administrator's hard limit allows many more.
namespace ydl::core {

// Raises this process's soft limit to its hard limit. A process that waits with select() cannot use descriptors above
// 1,024, so programs started from here must not inherit the raised limit.
void raise_descriptor_limit();

// The limit from before raise_descriptor_limit(), for the programs that are started; nothing where it was not raised.
[[nodiscard]] std::optional<rlimit> original_descriptor_limit();

// How many descriptors this process may have open.
[[nodiscard]] std::uint64_t descriptor_limit();

// Errors (no_capacity): `needed` is more than `limit`; the sentence names both and the remedy. `what` is what needs
// them: "a job of 2000 tasks".
[[nodiscard]] Result<void> check_descriptors(std::string_view what, std::uint64_t needed, std::uint64_t limit);

}  // namespace ydl::core
