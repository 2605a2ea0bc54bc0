#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace ydl::chaos {

// Faults of a seed that are left out, so that the ones that matter can be found. As text: "k3,k11,4,9,17-": kinds 3 and
// 11, the 4th and the 9th fault that was drawn, and all from the 17th on.
struct Without {
  std::uint32_t kinds = 0;
  std::set<int> faults = {};
  int from = std::numeric_limits<int>::max();

  [[nodiscard]] bool contains(int fault) const { return fault >= from || faults.contains(fault); }
  [[nodiscard]] std::string str() const;
  [[nodiscard]] static std::optional<Without> parse(std::string_view text);
};

}  // namespace ydl::chaos
