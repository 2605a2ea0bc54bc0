// Recorded messages of Hadoop's own client and server: they are decoded, checked, and encoded again to the same bytes.
#include "hrpc/errors.hpp"
#include "hrpc/message_codec.hpp"
#include "hrpc/proto/ipc_connection_context.pb.h"
#include "hrpc/proto/protobuf_rpc_engine.pb.h"
#include "hrpc/proto/rpc_header.pb.h"
#include "support/rpc_recording.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::hrpc {
namespace {

namespace pb = hadoop::common;
using test::frames_of;
using test::recording;
using test::said;

constexpr Method kGetFileInfo{"org.apache.hadoop.hdfs.protocol.ClientProtocol", "getFileInfo", Repeat::idempotent};

template <class Message>
Message parse(std::string_view bytes) {
  Message message;
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) throw std::runtime_error("not readable");
  return message;
}

ClientId client_id(std::string_view bytes) {
  ClientId id;
  if (bytes.size() != id.bytes.size()) throw std::runtime_error("client id of another size");
  std::ranges::copy(bytes, id.bytes.begin());
  return id;
}

// Decodes a frame of the client and encodes it again with our functions.
std::string again(std::string_view frame) {
  std::string_view rest = frame;
  const auto header = parse<pb::RpcRequestHeaderProto>(take_delimited(rest).value());
  switch (header.callid()) {
    case -33:
      return encode_sasl(parse<pb::RpcSaslProto>(take_delimited(rest).value()));
    case -4:
      return encode_ping(client_id(header.clientid()));
    case -3: {
      const auto context = parse<pb::IpcConnectionContextProto>(take_delimited(rest).value());
      return encode_context(client_id(header.clientid()), context.protocol(), {context.userinfo().effectiveuser(), {}});
    }
    default: {
      const auto request = parse<pb::RequestHeaderProto>(take_delimited(rest).value());
      EXPECT_EQ(request.methodname(), kGetFileInfo.name);
      EXPECT_EQ(request.declaringclassprotocolname(), kGetFileInfo.protocol);
      return encode_call(client_id(header.clientid()), {CallId{header.callid()}, header.retrycount()}, kGetFileInfo,
                         take_delimited(rest).value());
    }
  }
}

TEST(RpcWire, every_frame_of_the_java_client_is_encoded_to_the_same_bytes) {
  for (const auto* name : {"simple", "token_auth", "token_int", "token_conf", "tokenonly_auth"}) {
    const std::string bytes = said(recording(name), true);
    const auto protocol = std::string_view(name) == "simple" ? AuthProtocol::none : AuthProtocol::sasl;
    std::string ours = encode_preamble(protocol);
    const auto frames = frames_of(std::string_view(bytes).substr(test::kPreambleSize));
    EXPECT_GE(frames.size(), 3U);
    for (const auto& frame : frames) ours += again(frame);
    EXPECT_EQ(ours, bytes) << name;
  }
}

TEST(RpcWire, an_empty_answer_and_an_exception_are_decoded) {
  const auto frames = frames_of(said(recording("simple"), false));
  const auto found = decode_response(frames.at(0));
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->id, CallId{0});
  EXPECT_EQ(found->status, Status::success);
  EXPECT_EQ(found->body, "");

  const auto failed = decode_response(frames.at(1));
  ASSERT_TRUE(failed) << failed.error().message;
  EXPECT_EQ(failed->id, CallId{1});
  EXPECT_EQ(failed->status, Status::error);
  EXPECT_EQ(failed->exception, "java.io.FileNotFoundException");
  const auto error = remote_error(failed->exception, failed->message);
  EXPECT_EQ(error.code, Errc::not_found);
  EXPECT_EQ(error.message, "FileNotFoundException: no such /err");
  EXPECT_EQ(error.remote->type, "java.io.FileNotFoundException");
  EXPECT_THAT(error.remote->message, ::testing::StartsWith("no such /err\n\tat "));
}

TEST(RpcWire, the_server_s_list_of_mechanisms_is_decoded) {
  const auto frames = frames_of(said(recording("token_conf"), false));
  const auto response = decode_response(frames.at(0));
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->id, kSaslCall);
  const auto offer = decode_sasl(response->body);
  ASSERT_TRUE(offer) << offer.error().message;
  EXPECT_EQ(offer->state(), pb::RpcSaslProto::NEGOTIATE);
  ASSERT_EQ(offer->auths_size(), 2);
  EXPECT_EQ(offer->auths(0).method(), "TOKEN");
  EXPECT_TRUE(offer->auths(0).has_protocol());
  EXPECT_EQ(offer->auths(0).protocol(), "");
  EXPECT_EQ(offer->auths(1).method(), "SIMPLE");
  EXPECT_FALSE(offer->auths(1).has_protocol());
}

TEST(RpcWire, an_answer_truncated_at_any_byte_is_an_error) {
  const auto frames = frames_of(said(recording("simple"), false));
  const std::string& whole = frames.at(0);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto response = decode_response(std::string_view(whole).substr(0, size));
    ASSERT_FALSE(response) << size;
    EXPECT_EQ(response.error().code, Errc::corrupt);
  }
  EXPECT_FALSE(decode_response(whole + "x"));
}

TEST(RpcWire, an_unknown_status_is_an_error) {
  pb::RpcResponseHeaderProto header;
  header.set_callid(1);
  header.set_status(pb::RpcResponseHeaderProto::ERROR);
  std::string bytes = header.SerializeAsString();
  bytes.back() = 7;
  std::string frame;
  append_delimited(frame, bytes);
  EXPECT_FALSE(decode_response(frame));
}

TEST(RemoteErrors, the_message_is_the_first_line_without_control_characters) {
  EXPECT_EQ(remote_error("a.b.Outer$Inner", "bad\x1b[31m thing\nat x").message, "Inner: bad[31m thing");
  EXPECT_EQ(remote_error("a.b.C", "").message, "C");
  const auto flood = remote_error(std::string(1U << 20U, 'C'), std::string(10U << 20U, 'x'));
  EXPECT_LT(flood.message.size(), 2'000U);
  EXPECT_LT(flood.remote->message.size(), 100'000U);
  EXPECT_EQ(remote_error("a.b.C", "x").code, Errc::remote);
  EXPECT_EQ(remote_error("org.apache.hadoop.ipc.StandbyException", "x").code, Errc::standby);
  EXPECT_EQ(remote_error("zzz", "x").code, Errc::remote);
}

}  // namespace
}  // namespace ydl::hrpc
