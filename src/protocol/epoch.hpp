#pragma once

#include "core/result.hpp"

#include <compare>
#include <cstdint>

#include <boost/json/fwd.hpp>

namespace ydl::protocol {

// Which master of a job speaks: the first has epoch 1, and each that takes the job over has a higher one. Both numbered
// lists belong to an epoch and begin at 1 in each.
struct Epoch {
  std::int64_t number = 1;

  auto operator<=>(const Epoch&) const = default;
};

// The member "epoch". Errors: corrupt, naming it.
[[nodiscard]] core::Result<Epoch> epoch_of(const boost::json::object& object);

}  // namespace ydl::protocol
