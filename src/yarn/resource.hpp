#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace ydl::yarn {

inline constexpr std::string_view kMemory = "memory-mb";
inline constexpr std::string_view kVcores = "vcores";
inline constexpr std::string_view kGpu = "yarn.io/gpu";

// A size: memory, vcores and the other resource types of the cluster ("yarn.io/gpu"), in whole units. Types that are
// not in the map are zero. Sizes from the ResourceManager can be negative, which means unknown.
struct Resource {
  std::int64_t memory_mib = 0;
  std::int64_t vcores = 0;
  std::map<std::string, std::int64_t, std::less<>> others = {};

  bool operator==(const Resource&) const = default;
  [[nodiscard]] std::int64_t of(std::string_view type) const;
};

[[nodiscard]] Resource operator+(Resource a, const Resource& b);
[[nodiscard]] Resource operator-(Resource a, const Resource& b);
[[nodiscard]] Resource operator*(const Resource& one, std::int64_t count);

// The fraction `part` of each type in `all`, rounded down.
[[nodiscard]] Resource share_of(const Resource& all, double part);

// The first type for which `asked` is more than `free`; nothing if everything fits.
[[nodiscard]] std::optional<std::string> what_does_not_fit(const Resource& asked, const Resource& free);
[[nodiscard]] inline bool fits(const Resource& asked, const Resource& free) {
  return !what_does_not_fit(asked, free);
}
// How many times `asked` fits into `free`; `at_most` if `asked` is zero.
[[nodiscard]] std::int64_t times_it_fits(const Resource& asked, const Resource& free, std::int64_t at_most);

// "2 GiB, 1 vcore, 1 yarn.io/gpu".
[[nodiscard]] std::string to_string(const Resource& resource);
// The amount of one type: "2 GiB of memory", "3 vcores", "1 yarn.io/gpu".
[[nodiscard]] std::string amount_of(const Resource& resource, std::string_view type);

// Converts a value with one of YARN's unit prefixes ("k", "Mi", "m", ...) to whole units; nothing for an unknown
// prefix.
[[nodiscard]] std::optional<std::int64_t> in_whole_units(std::int64_t value, std::string_view prefix);

}  // namespace ydl::yarn
