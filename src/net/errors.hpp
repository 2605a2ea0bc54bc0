#pragma once

#include "core/error.hpp"

#include <system_error>

namespace ydl::net {

// Errors of connections that callers treat specially; all others use the codes of core/error.hpp.
enum class Errc {
  untrusted = 1,  // the peer is not the job's master: nothing was sent to it, and a retry does not help
};

[[nodiscard]] const std::error_category& error_category() noexcept;
[[nodiscard]] std::error_code make_error_code(Errc code) noexcept;

}  // namespace ydl::net

template <>
struct std::is_error_code_enum<ydl::net::Errc> : std::true_type {};
