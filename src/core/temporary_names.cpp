#include "core/temporary_names.hpp"

#include "core/strings.hpp"

#include <fmt/format.h>

namespace ydl::core {
namespace {

constexpr std::size_t kRandomBytes = 4;
constexpr std::string_view kEnding = ".tmp";

}  // namespace

std::string temporary_name(std::string_view file) {
  return fmt::format("{}.{}{}", file, random_hex(kRandomBytes), kEnding);
}

bool is_temporary_name(std::string_view name) {
  constexpr std::size_t kAdded = 1 + 2 * kRandomBytes + kEnding.size();
  if (name.size() <= kAdded || !name.ends_with(kEnding)) return false;
  const auto added = name.substr(name.size() - kAdded);
  const auto digits = added.substr(1, 2 * kRandomBytes);
  return added.front() == '.' && digits.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace ydl::core
