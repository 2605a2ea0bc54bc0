#include "core/ids.hpp"

#include "core/strings.hpp"

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
    return fail(Errc::usage, fmt::format("'{}' is not a task: after the colon comes its number, from 0", text));
  }
  return TaskId{std::string(text.substr(0, colon)), *index};
}

std::string AttemptId::str() const {
  return fmt::format("{} (attempt {})", task.str(), attempt);
}

}  // namespace ydl::core
