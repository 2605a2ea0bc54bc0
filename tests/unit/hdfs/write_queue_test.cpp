#include "hdfs/write_queue.hpp"

#include "hdfs/errors.hpp"

#include <gtest/gtest.h>

namespace ydl::hdfs {
namespace {

namespace pb = hadoop::hdfs;

// Packets of 100 bytes, and the empty packet that ends the block.
Packet data(std::int64_t seqno) {
  Packet packet({}, static_cast<std::uint64_t>(100 * seqno), 100);
  packet.append(std::string(100, 'x'));
  packet.seal(seqno, false);
  return packet;
}
Packet end(std::int64_t seqno) {
  return Packet::empty({.offset = 100 * seqno, .seqno = seqno, .last = true});
}

std::vector<std::int64_t> seqnos(const std::vector<WriteQueue::Shared>& packets) {
  std::vector<std::int64_t> numbers;
  for (const auto& packet : packets) numbers.push_back(packet->header().seqno);
  return numbers;
}

using Numbers = std::vector<std::int64_t>;

TEST(WriteQueue, packets_are_sent_in_order_and_removed_when_acknowledged) {
  WriteQueue queue(0);
  for (int i = 0; i < 3; ++i) queue.push(data(i));
  EXPECT_EQ(seqnos(queue.take(2)), (Numbers{0, 1}));
  EXPECT_EQ(queue.sent_bytes(), 200U);
  EXPECT_TRUE(queue.on_ack(0));
  EXPECT_EQ(queue.acked_bytes(), 100U);
  EXPECT_EQ(seqnos(queue.take(9)), (Numbers{2}));
  EXPECT_TRUE(queue.on_ack(1));
  EXPECT_TRUE(queue.on_ack(2));
  EXPECT_TRUE(queue.idle());
  EXPECT_FALSE(queue.finished());
}

TEST(WriteQueue, the_end_is_sent_after_all_other_packets_were_acknowledged) {
  WriteQueue queue(0);
  queue.push(data(0));
  queue.push(end(1));
  EXPECT_EQ(seqnos(queue.take(9)), (Numbers{0}));
  EXPECT_TRUE(queue.take(9).empty());
  EXPECT_FALSE(queue.ending());
  EXPECT_TRUE(queue.on_ack(0));
  EXPECT_EQ(seqnos(queue.take(9)), (Numbers{1}));
  EXPECT_TRUE(queue.ending());
  EXPECT_TRUE(queue.on_ack(1));
  EXPECT_TRUE(queue.finished());
  EXPECT_EQ(queue.acked_bytes(), 100U);
}

TEST(WriteQueue, unacknowledged_packets_are_sent_again_wherever_the_pipeline_breaks) {
  for (int acked = 0; acked < 5; ++acked) {
    WriteQueue queue(0);
    for (int i = 0; i < 5; ++i) queue.push(data(i));
    queue.push(end(5));
    (void)queue.take(9);
    for (int i = 0; i < acked; ++i) EXPECT_TRUE(queue.on_ack(i));
    queue.rewind();
    EXPECT_EQ(queue.acked_bytes(), 100U * static_cast<unsigned>(acked));
    EXPECT_EQ(queue.sent_bytes(), 500U);
    Numbers again = seqnos(queue.take(9));
    ASSERT_EQ(again.size(), 5U - static_cast<unsigned>(acked));
    EXPECT_EQ(again.front(), acked);
    for (const auto seqno : again) EXPECT_TRUE(queue.on_ack(seqno));
    EXPECT_EQ(seqnos(queue.take(9)), (Numbers{5}));
  }
}

TEST(WriteQueue, a_recovered_end_is_not_sent_again) {
  WriteQueue queue(0);
  queue.push(end(0));
  (void)queue.take(9);
  queue.rewind();
  EXPECT_TRUE(queue.ending());
  queue.set_finished();
  EXPECT_TRUE(queue.finished());
  EXPECT_TRUE(queue.idle());
}

TEST(WriteQueue, an_unexpected_acknowledgement_is_an_error_but_that_of_a_heartbeat_is_not) {
  WriteQueue queue(0);
  EXPECT_FALSE(queue.on_ack(0));
  queue.push(data(0));
  EXPECT_FALSE(queue.on_ack(0));  // not sent yet
  const auto sent = queue.take(9);
  EXPECT_FALSE(queue.on_ack(1));
  EXPECT_TRUE(queue.on_ack(kHeartbeatSeqno));
  EXPECT_TRUE(queue.on_ack(0));
  EXPECT_EQ(sent.at(0)->bytes().size(), 31U + 4U + 100U);  // alive while its sender holds it
}

TEST(WriteQueue, has_room_for_eighty_packets) {
  WriteQueue queue(0);
  for (int i = 0; i < 80; ++i) {
    EXPECT_TRUE(queue.has_room());
    queue.push(data(i));
  }
  EXPECT_FALSE(queue.has_room());
  (void)queue.take(9);
  EXPECT_FALSE(queue.has_room());
  EXPECT_TRUE(queue.on_ack(0));
  EXPECT_TRUE(queue.has_room());
}

pb::PipelineAckProto ack(std::initializer_list<pb::Status> replies) {
  pb::PipelineAckProto proto;
  for (const auto reply : replies) proto.add_reply(reply);
  return proto;
}

TEST(Ack, names_the_last_node_with_an_error) {
  EXPECT_EQ(judge(ack({pb::SUCCESS, pb::SUCCESS}), 2)->kind, AckVerdict::Kind::good);
  const auto verdict = judge(ack({pb::SUCCESS, pb::ERROR}), 3);
  EXPECT_EQ(verdict->kind, AckVerdict::Kind::bad_node);
  EXPECT_EQ(verdict->node, 1U);
  EXPECT_EQ(judge(ack({pb::ERROR_CHECKSUM, pb::SUCCESS, pb::ERROR_CHECKSUM}), 3)->node, 2U);
  EXPECT_EQ(judge(ack({pb::OOB_RESTART, pb::SUCCESS}), 2)->kind, AckVerdict::Kind::restarting);
}

TEST(Ack, flags_have_priority_over_replies) {
  auto congested = ack({pb::SUCCESS, pb::SUCCESS});
  congested.add_flag(0x30);  // congested, and well
  congested.add_flag(0x31);  // congested, and an error
  EXPECT_EQ(judge(congested, 2)->node, 1U);
}

TEST(Ack, no_answers_or_too_many_are_an_error) {
  EXPECT_FALSE(judge(ack({}), 1));
  EXPECT_FALSE(judge(ack({pb::SUCCESS, pb::SUCCESS}), 1));
}

}  // namespace
}  // namespace ydl::hdfs
