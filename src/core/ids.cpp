#include "core/ids.hpp"

#include "core/strings.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

namespace ydl::core {

std::string TaskId::str() const {
  return fmt::format("{}:{}", role, index);
}

std::string TaskId::file_name() const {
  return fmt::format("{}-{}", role, index);
}

Result<TaskId> TaskId::parse(std::string_view text) {
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) {
    return fail(Errc::usage, fmt::format("'{}' is not a task: write ROLE:INDEX, for example worker:0", text));
  }
  const auto index = parse_int<int>(text.substr(colon + 1));
  if (!index || *index < 0) {
    return fail(
        Errc::usage,
        fmt::format("'{}' is not a task: write a number, 0 or higher, after the colon, for example worker:0", text));
  }
  const auto role = text.substr(0, colon);
  const auto is_word = [](char c) {
    return c == '_' || c == '-' || (std::isalnum(static_cast<unsigned char>(c)) != 0);
  };
  if (!std::ranges::all_of(role, is_word)) {
    return fail(
        Errc::usage,
        fmt::format("'{}' is not a task: the name of a role consists of letters, digits, underscores and hyphens",
                    printable(text)));
  }
  return TaskId{std::string(role), *index};
}

std::string AttemptId::str() const {
  return fmt::format("{} (attempt {})", task.str(), attempt);
}

}  // namespace ydl::core
