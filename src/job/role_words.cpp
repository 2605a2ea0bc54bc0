#include "job/role_words.hpp"

#include <fmt/format.h>

namespace ydl::job {

std::string plural_of(std::string_view role) {
  return fmt::format("{}{}", role, role.ends_with('s') ? "" : "s");
}

std::string counted(std::int64_t count, std::string_view role) {
  return fmt::format("{} {}", count, count == 1 ? std::string(role) : plural_of(role));
}

std::string with_article(std::int64_t count, std::string_view role) {
  return count == 1 ? fmt::format("the {}", role) : fmt::format("the {}", counted(count, role));
}

}  // namespace ydl::job
