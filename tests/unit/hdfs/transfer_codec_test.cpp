#include "hdfs/transfer_codec.hpp"

#include "hdfs/errors.hpp"
#include "hdfs/proto/data_transfer.pb.h"
#include "support/transfer_recording.hpp"

#include <gtest/gtest.h>

namespace ydl::hdfs {
namespace {

namespace pb = hadoop::hdfs;
using testing::from_hex;

template <class Message>
Delimited<Message> take(std::string_view& bytes) {
  auto decoded = decode_delimited<Message>(bytes);
  if (!decoded) throw std::runtime_error(decoded.error().message);
  if (!*decoded) throw std::runtime_error("half a message");
  EXPECT_EQ(encode_delimited((*decoded)->message), bytes.substr(0, (*decoded)->size));
  bytes.remove_prefix((*decoded)->size);
  return **decoded;
}

PacketHeader take_packet(std::string_view& bytes) {
  const auto outline = decode_packet_head(bytes);
  if (!outline || !*outline) throw std::runtime_error("no packet");
  EXPECT_EQ(encode_packet_head((*outline)->header, (*outline)->sum_bytes).view(),
            bytes.substr(0, (*outline)->head_size));
  bytes.remove_prefix((*outline)->size());
  return (*outline)->header;
}

TEST(TransferWire, the_recorded_bytes_of_a_block_write_are_decoded) {
  const testing::TransferRecording recording("hdfs-plain");
  std::string_view client = recording.client(1);
  EXPECT_EQ(client.substr(0, 3), from_hex("001c50"));
  client.remove_prefix(3);
  const auto op = take<pb::OpWriteBlockProto>(client).message;
  EXPECT_EQ(encode_op(Op::write_block, op), recording.client(1).substr(0, recording.client(1).size() - client.size()));
  EXPECT_EQ(op.stage(), pb::OpWriteBlockProto::PIPELINE_SETUP_CREATE);
  EXPECT_EQ(op.requestedchecksum().bytesperchecksum(), 512U);
  EXPECT_EQ(take_packet(client), (PacketHeader{.offset = 0, .seqno = 0, .data_size = 700}));
  EXPECT_EQ(take_packet(client), (PacketHeader{.offset = 512, .seqno = 1, .sync = true, .data_size = 788}));
  EXPECT_EQ(take_packet(client), (PacketHeader{.offset = 1024, .seqno = 2, .data_size = 276}));
  EXPECT_EQ(take_packet(client), (PacketHeader{.offset = 1300, .seqno = 3, .last = true}));
  EXPECT_TRUE(client.empty());

  std::string_view server = recording.server(1);
  EXPECT_EQ(take<pb::BlockOpResponseProto>(server).message.status(), pb::SUCCESS);
  for (int seqno = 0; seqno < 4; ++seqno) {
    const auto ack = take<pb::PipelineAckProto>(server).message;
    EXPECT_EQ(ack.seqno(), seqno);
    ASSERT_EQ(ack.reply_size(), 1);
    EXPECT_EQ(ack.reply(0), pb::SUCCESS);
  }
  EXPECT_TRUE(server.empty());
}

TEST(TransferCodec, an_incomplete_message_needs_more_bytes) {
  pb::BlockOpResponseProto answer;
  answer.set_status(pb::ERROR);
  answer.set_message(std::string(200, 'x'));
  const std::string bytes = encode_delimited(answer);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto decoded = decode_delimited<pb::BlockOpResponseProto>(std::span(bytes).first(size));
    ASSERT_TRUE(decoded.has_value());
    EXPECT_FALSE(decoded->has_value());
  }
  const auto packet = encode_packet_head({.data_size = 0}, 0);
  for (std::size_t size = 0; size < packet.size; ++size) {
    const auto decoded = decode_packet_head(std::span(packet.bytes).first(size));
    ASSERT_TRUE(decoded.has_value());
    EXPECT_FALSE(decoded->has_value());
  }
}

TEST(TransferCodec, a_length_above_the_limit_is_refused_before_its_bytes_arrive) {
  for (const auto* bytes : {"ffffffff0f", "808080808080", "ffffffffffffffffff01", "818040"}) {
    const auto decoded = decode_delimited<pb::PipelineAckProto>(from_hex(bytes));
    ASSERT_FALSE(decoded.has_value()) << bytes;
    EXPECT_EQ(decoded.error().code, Errc::protocol);
  }
}

TEST(TransferCodec, a_packet_that_contradicts_itself_is_refused) {
  const std::string header = "090000000000000000110000000000000000180025";
  for (const auto& [prefix, data_size] : {std::pair{"000000030019", "00000000"},  // shorter than its own length field
                                          std::pair{"7fffffff0019", "00000000"},  // 2 GiB
                                          std::pair{"fffffff00019", "00000000"},  // with its header 9 bytes in 32 bits
                                          std::pair{"000000040019", "01000000"},  // more data than packet
                                          std::pair{"000000040019", "ffffffff"}}) {  // less than nothing
    const auto decoded = decode_packet_head(from_hex(prefix + header + data_size));
    ASSERT_FALSE(decoded.has_value()) << prefix;
    EXPECT_EQ(decoded.error().code, Errc::protocol);
  }
}

TEST(TransferCodec, an_unknown_status_is_an_error) {
  EXPECT_FALSE(decode_delimited<pb::BlockOpResponseProto>(from_hex("020863")).has_value());
}

}  // namespace
}  // namespace ydl::hdfs
