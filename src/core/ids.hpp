#pragma once

#include "core/result.hpp"

#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace ydl::core {

// An identifier of one kind. Identifiers of different kinds do not convert into each other.
template <class Tag>
struct StrongString {
  std::string value;

  auto operator<=>(const StrongString&) const = default;
  [[nodiscard]] const std::string& str() const noexcept { return value; }
};

using JobId = StrongString<struct JobIdTag>;
using AgentId = StrongString<struct AgentIdTag>;

// One task of a job: a role and an index within it, written as "worker:0".
struct TaskId {
  std::string role;
  int index = 0;

  auto operator<=>(const TaskId&) const = default;
  [[nodiscard]] std::string str() const;
  // For file names: "worker-0". HDFS does not allow a colon in names.
  [[nodiscard]] std::string file_name() const;
  [[nodiscard]] static Result<TaskId> parse(std::string_view text);
};

// One run of a task. Attempts count from 1 and are never reused within a job.
struct AttemptId {
  TaskId task;
  int attempt = 1;

  auto operator<=>(const AttemptId&) const = default;
  [[nodiscard]] std::string str() const;
};

}  // namespace ydl::core

template <class Tag>
struct std::hash<ydl::core::StrongString<Tag>> {
  std::size_t operator()(const ydl::core::StrongString<Tag>& id) const noexcept {
    return std::hash<std::string>{}(id.value);
  }
};
template <>
struct std::hash<ydl::core::TaskId> {
  std::size_t operator()(const ydl::core::TaskId& id) const noexcept {
    return std::hash<std::string>{}(id.role) * 1'000'003U + static_cast<std::size_t>(id.index);
  }
};
