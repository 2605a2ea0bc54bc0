#pragma once

#include "core/error.hpp"

#include <expected>
#include <string>
#include <utility>

namespace ydl::core {

template <class T = void>
using Result = std::expected<T, Error>;

[[nodiscard]] inline std::unexpected<Error> fail(std::error_code code, std::string message) {
  return std::unexpected<Error>(Error{code, std::move(message)});
}
[[nodiscard]] inline std::unexpected<Error> fail(Errc code, std::string message) {
  return fail(make_error_code(code), std::move(message));
}
[[nodiscard]] inline std::unexpected<Error> fail(Error error) {
  return std::unexpected<Error>(std::move(error));
}

}  // namespace ydl::core
