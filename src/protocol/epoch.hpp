#pragma once

#include <compare>
#include <cstdint>

namespace ydl::protocol {

// Which master of a job speaks: the first has epoch 1, and each that takes the job over has a higher one. Both numbered
// lists belong to an epoch and begin at 1 in each.
struct Epoch {
  std::int64_t number = 1;

  auto operator<=>(const Epoch&) const = default;
};

}  // namespace ydl::protocol
