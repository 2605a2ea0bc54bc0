#include "master/process.hpp"

#include "core/strings.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ydl::master {

core::Result<const ProcessKind*> find_process_kind(std::string_view name) {
  const auto kinds = process_kinds();
  const auto found = std::ranges::find(kinds, name, &ProcessKind::name);
  if (found != kinds.end()) return *found;
  std::vector<std::string> names;
  for (const auto* kind : kinds) names.emplace_back(kind->name);
  return core::fail(core::Errc::usage, fmt::format("--master {}: choose one of {}", name, core::join(names, ", ")));
}

}  // namespace ydl::master
