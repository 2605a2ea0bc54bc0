#pragma once

#include <span>

namespace ydl::ui {

struct PointRange {
  char32_t first;
  char32_t last;
};

// Both in rising order. Every other printable code point takes one column.
[[nodiscard]] std::span<const PointRange> zero_width_ranges();
[[nodiscard]] std::span<const PointRange> double_width_ranges();

}  // namespace ydl::ui
