#pragma once

#include "hrpc/frame_codec.hpp"
#include "hrpc/message_codec.hpp"
#include "hrpc/proto/rpc_header.pb.h"

#include <string>
#include <string_view>
#include <utility>

namespace ydl::test {

// The frames of a Hadoop RPC server, including their lengths.
inline std::string reply_header(hrpc::CallId id, hadoop::common::RpcResponseHeaderProto::RpcStatusProto status,
                                std::string_view exception, std::string_view message) {
  hadoop::common::RpcResponseHeaderProto header;
  header.set_callid(static_cast<std::uint32_t>(std::to_underlying(id)));
  header.set_status(status);
  if (!exception.empty()) {
    header.set_exceptionclassname(std::string(exception));
    header.set_errormsg(std::string(message));
  }
  std::string out;
  hrpc::append_delimited(out, header.SerializeAsString());
  return out;
}

inline std::string reply(hrpc::CallId id, std::string_view body) {
  std::string payload = reply_header(id, hadoop::common::RpcResponseHeaderProto::SUCCESS, {}, {});
  hrpc::append_delimited(payload, body);
  return hrpc::encode_frame(payload);
}

inline std::string error_reply(hrpc::CallId id, std::string_view exception, std::string_view message) {
  return hrpc::encode_frame(reply_header(id, hadoop::common::RpcResponseHeaderProto::ERROR, exception, message));
}

inline std::string fatal_reply(hrpc::CallId id, std::string_view exception, std::string_view message) {
  return hrpc::encode_frame(reply_header(id, hadoop::common::RpcResponseHeaderProto::FATAL, exception, message));
}

inline std::string sasl_reply(const hadoop::common::RpcSaslProto& message) {
  return reply(hrpc::kSaslCall, message.SerializeAsString());
}

}  // namespace ydl::test
