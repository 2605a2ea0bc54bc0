#include "core/error.hpp"

#include "core/error_category.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

namespace ydl::core {
namespace {

constexpr auto kTexts = std::to_array<ErrorText>({
    {Errc::usage, "usage"},
    {Errc::not_found, "not found"},
    {Errc::exists, "already exists"},
    {Errc::io, "input/output"},
    {Errc::corrupt, "corrupt data"},
    {Errc::refused, "refused"},
    {Errc::unavailable, "unavailable"},
    {Errc::timeout, "timed out"},
    {Errc::cancelled, "cancelled"},
    {Errc::no_capacity, "no capacity"},
});

}  // namespace

const std::error_category& error_category() noexcept {
  static const TableCategory category("ydl", kTexts);
  return category;
}

std::error_code make_error_code(Errc code) noexcept {
  return {static_cast<int>(code), error_category()};
}

Error Error::within(std::string_view place) const& {
  return Error(*this).within(place);
}

Error Error::within(std::string_view place) && {
  message = fmt::format("{}: {}", place, message);
  return std::move(*this);
}

Error system_error(int errno_value, std::string_view what) {
  const std::error_code code(errno_value, std::generic_category());
  return {code, fmt::format("{}: {}", what, code.message())};
}

}  // namespace ydl::core
