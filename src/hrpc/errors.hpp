#pragma once

#include "core/error.hpp"

#include <string>
#include <string_view>
#include <system_error>

namespace ydl::hrpc {

// Why a call failed. The errors of the first group are found by the client. Those of the second group stand for
// exceptions of the server (remote_errors.cpp has the table of Java classes); Error::remote then has the original class
// and message.
enum class Errc {
  unreachable = 1,   // unknown host name, connection refused, no route
  timed_out,         // no connection or no answer in time
  connection_lost,   // lost during the call; it is unknown whether the server executed it
  not_hadoop,        // another service uses this port
  corrupt,           // the server violated the protocol
  unauthenticated,   // client or server could not prove their identity
  security_refused,  // our configuration forbids everything that the server offers

  access_denied,   // the user is authenticated but has no permission
  invalid_token,   // expired, cancelled or unknown
  standby,         // another server of the group is active
  retriable,       // the server is starting or overloaded; repeat the call later
  safe_mode,       // the NameNode is temporarily read-only
  no_such_method,  // the server does not have this method, protocol or version
  not_found,       // a path or an application does not exist
  exists,          // a path already exists
  not_a_directory,
  is_a_directory,
  not_empty,
  invalid_path,
  quota_exceeded,
  lease_conflict,      // another client writes the file
  lease_lost,          // this client may no longer write the file
  not_yet_replicated,  // the last block does not have enough replicas yet
  unsupported,         // the server does not support this
  invalid_request,     // the server rejected an argument
  not_registered,      // the ResourceManager does not know this attempt, or no longer knows it
  remote,              // any other exception
};

[[nodiscard]] const std::error_category& error_category() noexcept;
[[nodiscard]] std::error_code make_error_code(Errc code) noexcept;

// The error for a Java exception class; Errc::remote if the class is not in the table.
[[nodiscard]] Errc meaning_of(std::string_view java_class);

// A remote exception as an Error. The message has the first line only, without the stack trace; Error::remote keeps the
// class and the whole message.
[[nodiscard]] core::Error remote_error(std::string java_class, std::string message);

}  // namespace ydl::hrpc

template <>
struct std::is_error_code_enum<ydl::hrpc::Errc> : std::true_type {};
