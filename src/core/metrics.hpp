#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include <boost/describe/class.hpp>

namespace ydl::core {

// The latest values that a task reported with "::metric" lines.
struct Metrics {
  static constexpr std::size_t kMost = 64;         // names; further ones are left out
  static constexpr std::size_t kLongestName = 64;  // bytes

  std::optional<std::int64_t> step;                     // of the latest line with one
  std::map<std::string, std::optional<double>> values;  // nothing: not a finite number

  bool operator==(const Metrics&) const = default;
};
BOOST_DESCRIBE_STRUCT(Metrics, (), (step, values))

}  // namespace ydl::core
