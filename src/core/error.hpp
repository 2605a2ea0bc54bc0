#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace ydl::core {

// The general kind of an error. The command line chooses the exit code by it, and callers decide by it whether to
// retry. A module that needs more kinds has its own enum and puts its values into Error::code.
enum class Errc {
  usage = 1,    // the request of the user is wrong: exit code 2
  not_found,    // the named thing does not exist
  exists,       // the thing to create already exists
  io,           // a call of the operating system failed
  corrupt,      // stored or received bytes are not in the expected format
  refused,      // the peer understood the request and refused it
  unavailable,  // the peer cannot be reached now; a retry may succeed
  timeout,      // the peer did not answer in time
  cancelled,    // this process was asked to stop
  no_capacity,  // the machine or the cluster has not enough resources
};

[[nodiscard]] const std::error_category& error_category() noexcept;
[[nodiscard]] std::error_code make_error_code(Errc code) noexcept;

// An exception of a remote (Java) peer, unchanged.
struct RemoteException {
  std::string type;
  std::string message;
};

// A failure: a code for programs and one sentence for people, which names the cause, the location and the remedy.
struct Error {
  std::error_code code;
  std::string message;
  std::optional<RemoteException> remote = std::nullopt;

  // The same error with the location in front of the message: "reading /x: permission denied".
  [[nodiscard]] Error within(std::string_view place) const&;
  [[nodiscard]] Error within(std::string_view place) &&;
};

// The Error for a failed system call: "cannot open /x: No such file or directory".
[[nodiscard]] Error system_error(int errno_value, std::string_view what);

}  // namespace ydl::core

template <>
struct std::is_error_code_enum<ydl::core::Errc> : std::true_type {};
