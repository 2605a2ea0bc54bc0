#include "hdfs/write_queue.hpp"

#include "hdfs/errors.hpp"

#include <gtest/gtest.h>

namespace ydl::hdfs {
namespace {

namespace pb = hadoop::hdfs;

// Packets of 100 bytes, and the empty one that ends the block.
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

TEST(WriteQueue, packets_go_out_in_order_and_leave_with_their_ack) {
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

TEST(WriteQueue, the_end_goes_out_when_all_before_it_is_acknowledged) {
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

TEST(WriteQueue, wherever_the_pipeline_breaks_what_was_not_acknowledged_is_sent_again) {
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

TEST(WriteQueue, an_end_that_was_recovered_is_not_sent_again) {
  WriteQueue queue(0);
  queue.push(end(0));
  (void)queue.take(9);
  queue.rewind();
  EXPECT_TRUE(queue.ending());
  queue.set_finished();
  EXPECT_TRUE(queue.finished());
  EXPECT_TRUE(queue.idle());
}

TEST(WriteQueue, an_ack_that_is_not_due_is_an_error_and_a_heartbeats_is_not) {
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

TEST(WriteQueue, takes_no_more_than_eighty) {
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

TEST(Ack, names_the_last_node_that_complains) {
  EXPECT_EQ(judge(ack({pb::SUCCESS, pb::SUCCESS}), 2)->kind, AckVerdict::Kind::good);
  const auto verdict = judge(ack({pb::SUCCESS, pb::ERROR}), 3);
  EXPECT_EQ(verdict->kind, AckVerdict::Kind::bad_node);
  EXPECT_EQ(verdict->node, 1U);
  EXPECT_EQ(judge(ack({pb::ERROR_CHECKSUM, pb::SUCCESS, pb::ERROR_CHECKSUM}), 3)->node, 2U);
  EXPECT_EQ(judge(ack({pb::OOB_RESTART, pb::SUCCESS}), 2)->kind, AckVerdict::Kind::restarting);
}

TEST(Ack, flags_count_more_than_replies) {
  auto congested = ack({pb::SUCCESS, pb::SUCCESS});
  congested.add_flag(0x30);  // congested, and well
  congested.add_flag(0x31);  // congested, and an error
  EXPECT_EQ(judge(congested, 2)->node, 1U);
}

TEST(Ack, of_nobody_or_of_too_many_is_an_error) {
  EXPECT_FALSE(judge(ack({}), 1));
  EXPECT_FALSE(judge(ack({pb::SUCCESS, pb::SUCCESS}), 1));
}

}  // namespace
}  // namespace ydl::hdfs
