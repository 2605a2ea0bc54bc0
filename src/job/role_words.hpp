#pragma once

#include <cstdint>
#include <string>
#include <string_view>

// How sentences name several tasks of a role. Users choose the names of roles, so these rules are simple: a name that
// ends in "s", such as "ps", is its own plural.
namespace ydl::job {

// "1 worker", "2 workers", "2 ps".
[[nodiscard]] std::string counted(std::int64_t count, std::string_view role);
// "the worker", "the 2 workers".
[[nodiscard]] std::string with_article(std::int64_t count, std::string_view role);
// "workers", "ps".
[[nodiscard]] std::string plural_of(std::string_view role);

}  // namespace ydl::job
