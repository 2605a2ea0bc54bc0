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

// One call of a client, the same over its retries. Negative ones are not calls but frames with a meaning of their own.
enum class CallId : std::int32_t {};
inline constexpr CallId kContextCall{-3};
inline constexpr CallId kPingCall{-4};
inline constexpr CallId kSaslCall{-33};

// One client, over all its connections: with the call id it is the key of the server's memory of answers.
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
  std::string_view user;       // empty where a token says who it is
  std::string_view real_user;  // empty unless it acts for `user`
};
[[nodiscard]] std::string encode_context(const ClientId& client, std::string_view protocol, const Caller& caller);

struct CallKey {
  CallId id;
  int retry = 0;  // 0 the first time
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

// What a frame from the server says.
//
//   delimited RpcResponseHeaderProto | delimited body (success and SASL only)
struct Response {
  CallId id{};
  Status status = Status::success;
  std::string exception = {};  // Java class
  std::string message = {};    // with its stack trace
  std::string body = {};
};
// Errors: corrupt.
[[nodiscard]] core::Result<Response> decode_response(std::string_view frame);
[[nodiscard]] core::Result<hadoop::common::RpcSaslProto> decode_sasl(std::string_view body);

}  // namespace ydl::hrpc
