#include "yarn/resource.hpp"

#include "core/strings.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>

namespace ydl::yarn {
namespace {

template <class Combine>
Resource combined(Resource a, const Resource& b, Combine combine) {
  a.memory_mib = combine(a.memory_mib, b.memory_mib);
  a.vcores = combine(a.vcores, b.vcores);
  for (const auto& [type, amount] : b.others) a.others[type] = combine(a.of(type), amount);
  return a;
}

template <class Change>
Resource each(Resource resource, Change change) {
  resource.memory_mib = change(resource.memory_mib);
  resource.vcores = change(resource.vcores);
  for (auto& [type, amount] : resource.others) amount = change(amount);
  return resource;
}

std::string memory_text(std::int64_t mebibytes) {
  return mebibytes < 0 ? fmt::format("{} MiB", mebibytes)
                       : core::format_bytes(static_cast<std::uint64_t>(mebibytes) << 20U);
}

std::int64_t times(std::int64_t value, std::int64_t factor) {
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(value, factor, &product)) return product;
  return value < 0 ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
}

}  // namespace

std::int64_t Resource::of(std::string_view type) const {
  if (type == kMemory) return memory_mib;
  if (type == kVcores) return vcores;
  const auto found = others.find(type);
  return found == others.end() ? 0 : found->second;
}

Resource operator+(Resource a, const Resource& b) {
  return combined(std::move(a), b, [](std::int64_t x, std::int64_t y) { return x + y; });
}

Resource operator-(Resource a, const Resource& b) {
  return combined(std::move(a), b, [](std::int64_t x, std::int64_t y) { return x - y; });
}

Resource operator*(const Resource& one, std::int64_t count) {
  return each(one, [count](std::int64_t amount) { return times(amount, count); });
}

Resource share_of(const Resource& all, double part) {
  return each(all,
              [part](std::int64_t amount) { return static_cast<std::int64_t>(static_cast<double>(amount) * part); });
}

std::optional<std::string> what_does_not_fit(const Resource& asked, const Resource& free) {
  if (asked.memory_mib > free.memory_mib) return std::string(kMemory);
  if (asked.vcores > free.vcores) return std::string(kVcores);
  for (const auto& [type, amount] : asked.others) {
    if (amount > free.of(type)) return type;
  }
  return std::nullopt;
}

std::int64_t times_it_fits(const Resource& asked, const Resource& free, std::int64_t at_most) {
  std::int64_t count = at_most;
  const auto bound = [&count](std::int64_t one, std::int64_t all) {
    if (one > 0) count = std::min(count, std::max<std::int64_t>(all, 0) / one);
  };
  bound(asked.memory_mib, free.memory_mib);
  bound(asked.vcores, free.vcores);
  for (const auto& [type, amount] : asked.others) bound(amount, free.of(type));
  return count;
}

std::string amount_of(const Resource& resource, std::string_view type) {
  if (type == kMemory) return memory_text(resource.memory_mib) + " of memory";
  if (type == kVcores) return core::plural(resource.vcores, "vcore");
  return fmt::format("{} {}", resource.of(type), type);
}

std::string to_string(const Resource& resource) {
  std::string text = fmt::format("{}, {}", memory_text(resource.memory_mib), core::plural(resource.vcores, "vcore"));
  for (const auto& [type, amount] : resource.others) {
    if (amount != 0) text += fmt::format(", {} {}", amount, type);
  }
  return text;
}

std::optional<std::int64_t> in_whole_units(std::int64_t value, std::string_view prefix) {
  struct Prefix {
    std::string_view name;
    std::int64_t multiply;
    std::int64_t divide;
  };
  static constexpr auto kPrefixes = std::to_array<Prefix>({
      {"", 1, 1},
      {"n", 1, 1'000'000'000},
      {"u", 1, 1'000'000},
      {"m", 1, 1'000},
      {"k", 1'000, 1},
      {"M", 1'000'000, 1},
      {"G", 1'000'000'000, 1},
      {"T", 1'000'000'000'000, 1},
      {"P", 1'000'000'000'000'000, 1},
      {"Ki", std::int64_t{1} << 10, 1},
      {"Mi", std::int64_t{1} << 20, 1},
      {"Gi", std::int64_t{1} << 30, 1},
      {"Ti", std::int64_t{1} << 40, 1},
      {"Pi", std::int64_t{1} << 50, 1},
  });
  const auto* found = std::ranges::find(kPrefixes, prefix, &Prefix::name);
  if (found == kPrefixes.end()) return std::nullopt;
  return times(value, found->multiply) / found->divide;
}

}  // namespace ydl::yarn
