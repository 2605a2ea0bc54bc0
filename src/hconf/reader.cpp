#include "hconf/reader.hpp"

#include "core/strings.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ydl::hconf {
namespace {

constexpr int kManyTimes = 1'000'000;

}  // namespace

int Reader::count(std::string_view key) {
  return static_cast<int>(std::clamp<std::int64_t>(take(config_.get_int(key)), -1, kManyTimes));
}

void Reader::wrong(std::string_view key, std::string_view may_be) {
  fail({core::Errc::usage, fmt::format("{}: {} has '{}'; it may be {}", config_.source_of(key), key,
                                       core::printable(config_.get_trimmed(key)), may_be)});
}

}  // namespace ydl::hconf
