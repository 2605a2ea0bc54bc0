#pragma once

#include "core/enum_names.hpp"

#include <string>

namespace ydl::core {

// What a job runs on.
enum class ClusterKind {
  local,  // this machine
  yarn,
};
template <>
struct EnumNames<ClusterKind> {
  static constexpr auto kNames = names_up_to(ClusterKind::yarn, "local", "yarn");
};

// The name used in sentences. For an unknown kind it is the name as it was read.
inline constexpr auto kClusterTitles = names_up_to(ClusterKind::yarn, "this machine", "YARN");
[[nodiscard]] std::string title(const Named<ClusterKind>& kind);

}  // namespace ydl::core
