#pragma once

#include "core/error.hpp"

#include <string>
#include <string_view>
#include <system_error>

namespace ydl::hrpc {

// Why a call failed. The first group is ours, the second what the server's exceptions mean (remote_errors.cpp has the
// table of Java classes); Error::remote then holds class and message as they came.
enum class Errc {
  unreachable = 1,   // no such name, connection refused, no route
  timed_out,         // no connection or no answer in time
  connection_lost,   // it went while the call was under way; whether the server did it is not known
  not_hadoop,        // something else answers on that port
  corrupt,           // what came is not the protocol
  unauthenticated,   // nobody believes who we are, or we do not believe the server
  security_refused,  // the server offers only what our configuration forbids

  access_denied,   // the server knows us and says no
  invalid_token,   // expired, cancelled or unknown
  standby,         // ask the other server of the group
  retriable,       // the server is starting or overloaded; the same call later
  safe_mode,       // the NameNode is read-only for now
  no_such_method,  // method, protocol or version unknown to the server
  not_found,       // a path or an application that is not there
  exists,          // a path that is there already
  not_a_directory,
  is_a_directory,
  not_empty,
  invalid_path,
  quota_exceeded,
  lease_conflict,      // another client writes the file
  lease_lost,          // we are no longer its writer
  not_yet_replicated,  // the last block is not complete; soon it is
  unsupported,         // the server cannot do that
  invalid_request,     // an argument the server does not accept
  not_registered,      // the ResourceManager does not know this attempt (any more)
  remote,              // an exception without a meaning of its own here
};

[[nodiscard]] const std::error_category& error_category() noexcept;
[[nodiscard]] std::error_code make_error_code(Errc code) noexcept;

// What a Java exception class means; Errc::remote for one that is not in the table.
[[nodiscard]] Errc meaning_of(std::string_view java_class);

// A remote exception as an Error: its first line for people (the stack trace is cut off), class and whole message kept.
[[nodiscard]] core::Error remote_error(std::string java_class, std::string message);

}  // namespace ydl::hrpc

template <>
struct std::is_error_code_enum<ydl::hrpc::Errc> : std::true_type {};
