#include "net/errors.hpp"

#include "core/error_category.hpp"

#include <array>

namespace ydl::net {
namespace {

constexpr std::array kTexts{core::ErrorText{Errc::untrusted, "not the job's master"}};

}  // namespace

const std::error_category& error_category() noexcept {
  static const core::TableCategory category("net", kTexts);
  return category;
}

std::error_code make_error_code(Errc code) noexcept {
  return {static_cast<int>(code), error_category()};
}

}  // namespace ydl::net
