#pragma once

#include "core/error.hpp"

#include <system_error>

namespace ydl::net {

// What of a connection a caller treats in a way of its own; everything else has a code of core/error.hpp.
enum class Errc {
  untrusted = 1,  // what answers is not the job's master: nothing was sent to it, and trying again is of no use
};

[[nodiscard]] const std::error_category& error_category() noexcept;
[[nodiscard]] std::error_code make_error_code(Errc code) noexcept;

}  // namespace ydl::net

template <>
struct std::is_error_code_enum<ydl::net::Errc> : std::true_type {};
