#include "hrpc/message_codec.hpp"

#include "core/assert.hpp"
#include "hrpc/errors.hpp"
#include "hrpc/frame_codec.hpp"
#include "hrpc/proto/ipc_connection_context.pb.h"
#include "hrpc/proto/protobuf_rpc_engine.pb.h"
#include "hrpc/proto/rpc_header.pb.h"

#include <algorithm>
#include <sys/random.h>
#include <utility>

namespace ydl::hrpc {
namespace {

namespace pb = hadoop::common;

constexpr char kVersion = 9;
constexpr int kNoRetryCount = -1;
constexpr std::uint64_t kProtocolVersion = 1;

// Kind and operation are optional in the .proto file, but the server requires them.
std::string encode_header(std::string_view client, CallKey key) {
  pb::RpcRequestHeaderProto header;
  header.set_rpckind(pb::RPC_PROTOCOL_BUFFER);
  header.set_rpcop(pb::RpcRequestHeaderProto::RPC_FINAL_PACKET);
  header.set_callid(std::to_underlying(key.id));
  header.set_clientid(client.data(), client.size());
  header.set_retrycount(key.retry);
  std::string out;
  append_delimited(out, header.SerializeAsString());
  return out;
}

// Not ParseFromArray(), because it prints missing fields to standard error.
bool parse(google::protobuf::MessageLite& message, std::string_view bytes) {
  return message.ParsePartialFromArray(bytes.data(), static_cast<int>(bytes.size())) && message.IsInitialized();
}

core::Result<Status> status_of(pb::RpcResponseHeaderProto::RpcStatusProto status) {
  switch (status) {
    case pb::RpcResponseHeaderProto::SUCCESS:
      return Status::success;
    case pb::RpcResponseHeaderProto::ERROR:
      return Status::error;
    case pb::RpcResponseHeaderProto::FATAL:
      return Status::fatal;
  }
  return core::fail(Errc::corrupt, "the header of the server's answer has an unknown status");
}

}  // namespace

ClientId random_client_id() {
  ClientId id;
  const auto got = ::getrandom(id.bytes.data(), id.bytes.size(), 0);
  // getrandom() never returns less for requests up to 256 bytes
  YDL_ASSERT(got == static_cast<ssize_t>(id.bytes.size()));
  return id;
}

std::string encode_preamble(AuthProtocol protocol) {
  return {'h', 'r', 'p', 'c', kVersion, '\0', static_cast<char>(protocol)};
}

std::string encode_context(const ClientId& client, std::string_view protocol, const Caller& caller) {
  pb::IpcConnectionContextProto context;
  auto& user = *context.mutable_userinfo();
  if (!caller.user.empty()) user.set_effectiveuser(caller.user.data(), caller.user.size());
  if (!caller.real_user.empty()) user.set_realuser(caller.real_user.data(), caller.real_user.size());
  context.set_protocol(protocol.data(), protocol.size());
  std::string payload = encode_header(client.view(), {kContextCall, kNoRetryCount});
  append_delimited(payload, context.SerializeAsString());
  return encode_frame(payload);
}

std::string encode_call(const ClientId& client, CallKey key, const Method& method, std::string_view request) {
  pb::RequestHeaderProto header;
  header.set_methodname(method.name.data(), method.name.size());
  header.set_declaringclassprotocolname(method.protocol.data(), method.protocol.size());
  header.set_clientprotocolversion(kProtocolVersion);
  std::string payload = encode_header(client.view(), key);
  append_delimited(payload, header.SerializeAsString());
  append_delimited(payload, request);
  return encode_frame(payload);
}

std::string encode_ping(const ClientId& client) {
  return encode_frame(encode_header(client.view(), {kPingCall, kNoRetryCount}));
}

std::string encode_sasl(const pb::RpcSaslProto& message) {
  std::string payload = encode_header({}, {kSaslCall, kNoRetryCount});
  append_delimited(payload, message.SerializeAsString());
  return encode_frame(payload);
}

core::Result<Response> decode_response(std::string_view frame) {
  pb::RpcResponseHeaderProto header;
  std::string_view rest = frame;
  const auto head = take_delimited(rest);
  if (!head || !parse(header, *head)) {
    return core::fail(Errc::corrupt, "the header of the server's answer cannot be decoded");
  }
  const auto status = status_of(header.status());
  if (!status) return core::fail(status.error());
  // Requests encode the id as sint32, but responses as uint32: -33 arrives as 4294967263.
  Response response{.id = CallId{static_cast<std::int32_t>(header.callid())}, .status = *status};
  if (*status != Status::success) {
    response.exception = std::move(*header.mutable_exceptionclassname());
    response.message = std::move(*header.mutable_errormsg());
    return response;
  }
  const auto body = take_delimited(rest);
  if (!body || !rest.empty()) return core::fail(Errc::corrupt, "the length of the server's answer is wrong");
  response.body = *body;
  return response;
}

core::Result<pb::RpcSaslProto> decode_sasl(std::string_view body) {
  pb::RpcSaslProto message;
  if (!parse(message, body)) {
    return core::fail(Errc::corrupt, "the server's SASL message cannot be decoded");
  }
  return message;
}

}  // namespace ydl::hrpc
