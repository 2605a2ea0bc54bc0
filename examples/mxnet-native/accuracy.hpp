#pragma once

#include <cstddef>

// How many of the images it was shown a model recognised.
struct Accuracy {
  std::size_t right = 0;
  std::size_t total = 0;

  [[nodiscard]] double value() const {
    return total == 0 ? 0 : static_cast<double>(right) / static_cast<double>(total);
  }
  Accuracy& operator+=(const Accuracy& other) {
    right += other.right;
    total += other.total;
    return *this;
  }
};
