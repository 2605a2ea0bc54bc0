#pragma once

#include "core/result.hpp"
#include "hrpc/method.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace hadoop::common {
class RpcResponseHeaderProto;
class RpcSaslProto;
}  // namespace hadoop::common

namespace ydl::hrpc {

// Identifies a call of a client; retries have the same id. Negative ids are not calls but special frames.
enum class CallId : std::int32_t {};
inline constexpr CallId kContextCall{-3};
inline constexpr CallId kPingCall{-4};
inline constexpr CallId kSaslCall{-33};

// Identifies a client on all its connections. Together with the call id it is the key of the server's retry cache.
struct ClientId {
  std::array<char, 16> bytes{};
  [[nodiscard]] std::string_view view() const { return {bytes.data(), bytes.size()}; }
};
[[nodiscard]] ClientId random_client_id();

// The first bytes of a connection: "hrpc" | version 9 | service class 0 | authentication protocol.
enum class AuthProtocol : unsigned char { none = 0x00, sasl = 0xdf };
[[nodiscard]] std::string encode_preamble(AuthProtocol protocol);

// Frames, complete with their lengths. Each begins with a request header:
//
//   u32 length | delimited RpcRequestHeaderProto | delimited body ...

struct Caller {
  std::string_view user;       // empty if a token contains the user
  std::string_view real_user;  // the proxy user that acts for `user`; else empty
};
[[nodiscard]] std::string encode_context(const ClientId& client, std::string_view protocol, const Caller& caller);

struct CallKey {
  CallId id;
  int retry = 0;  // 0 for the first attempt
};
[[nodiscard]] std::string encode_call(const ClientId& client, CallKey key, const Method& method,
                                      std::string_view request);
[[nodiscard]] std::string encode_ping(const ClientId& client);
[[nodiscard]] std::string encode_sasl(const hadoop::common::RpcSaslProto& message);

enum class Status {
  success,
  error,  // the call failed, the connection stays
  fatal,  // the server closes the connection
};

// A decoded frame from the server.
//
//   delimited RpcResponseHeaderProto | delimited body (success and SASL only)
struct Response {
  CallId id{};
  Status status = Status::success;
  std::string exception = {};  // Java class
  std::string message = {};    // including the stack trace
  std::string body = {};
};
// Errors: corrupt.
[[nodiscard]] core::Result<Response> decode_response(std::string_view frame);
[[nodiscard]] core::Result<hadoop::common::RpcSaslProto> decode_sasl(std::string_view body);

}  // namespace ydl::hrpc
