#include "core/error.hpp"

#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace ydl::core {
namespace {

class Category final : public std::error_category {
 public:
  const char* name() const noexcept override { return "ydl"; }
  std::string message(int value) const override {
    switch (static_cast<Errc>(value)) {
      case Errc::usage:
        return "usage";
      case Errc::not_found:
        return "not found";
      case Errc::exists:
        return "exists already";
      case Errc::io:
        return "input/output";
      case Errc::corrupt:
        return "corrupt data";
      case Errc::refused:
        return "refused";
      case Errc::unavailable:
        return "unavailable";
      case Errc::timeout:
        return "timed out";
      case Errc::cancelled:
        return "cancelled";
      case Errc::no_capacity:
        return "no capacity";
    }
    return fmt::format("error {}", value);
  }
};

}  // namespace

const std::error_category& error_category() noexcept {
  static const Category category;
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
