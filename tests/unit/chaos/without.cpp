#include "without.hpp"

#include "core/strings.hpp"

#include <vector>

#include <fmt/format.h>

namespace ydl::chaos {
namespace {

constexpr unsigned kMostKinds = 32;

}  // namespace

std::string Without::str() const {
  std::vector<std::string> parts;
  for (unsigned kind = 0; kind < kMostKinds; ++kind) {
    if (((kinds >> kind) & 1U) != 0) parts.push_back(fmt::format("k{}", kind));
  }
  for (const int fault : faults) {
    if (fault < from) parts.push_back(std::to_string(fault));
  }
  if (from != std::numeric_limits<int>::max()) parts.push_back(fmt::format("{}-", from));
  return core::join(parts, ",");
}

std::optional<Without> Without::parse(std::string_view text) {
  Without without;
  while (!text.empty()) {
    const auto end = text.find(',');
    auto part = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    const bool is_kind = part.starts_with('k');
    const bool is_rest = part.ends_with('-');
    if (is_kind) part.remove_prefix(1);
    if (is_rest) part.remove_suffix(1);
    const auto number = core::parse_int<unsigned>(part);
    if (!number || (is_kind && (is_rest || *number >= kMostKinds))) return std::nullopt;
    if (is_kind)
      without.kinds |= 1U << *number;
    else if (is_rest)
      without.from = static_cast<int>(*number);
    else
      without.faults.insert(static_cast<int>(*number));
  }
  return without;
}

}  // namespace ydl::chaos
