#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace ydl::core {

// What an error is about, coarse enough for the command line to choose an exit code and for a caller to decide
// whether to try again. Modules with finer needs keep an enum of their own and put it in Error::code.
enum class Errc {
  usage = 1,    // the user asked for something that cannot be meant: exit code 2
  not_found,    // the named thing does not exist
  exists,       // the thing to create is there already
  io,           // the operating system refused
  corrupt,      // stored or received bytes do not follow their format
  refused,      // the other side understood and said no
  unavailable,  // the other side cannot be reached now; trying again may help
  timeout,      // the other side did not answer in time
  cancelled,    // we were asked to stop
  no_capacity,  // the machine or cluster cannot hold what was asked
};

[[nodiscard]] const std::error_category& error_category() noexcept;
[[nodiscard]] std::error_code make_error_code(Errc code) noexcept;

// An exception thrown by a remote peer, kept as it came.
struct RemoteException {
  std::string type;
  std::string message;
};

// One failure: a code for programs and one sentence for people, which names the cause, the place and the remedy.
struct Error {
  std::error_code code;
  std::string message;
  std::optional<RemoteException> remote = std::nullopt;

  // The same error with where it happened put before its sentence: "reading /x: permission denied".
  [[nodiscard]] Error within(std::string_view place) const&;
  [[nodiscard]] Error within(std::string_view place) &&;
};

// A failed system call as an Error: "cannot open /x: No such file or directory".
[[nodiscard]] Error system_error(int errno_value, std::string_view what);

}  // namespace ydl::core

template <>
struct std::is_error_code_enum<ydl::core::Errc> : std::true_type {};
