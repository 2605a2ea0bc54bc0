#include "hdfs/block_read_fsm.hpp"
#include "hdfs/errors.hpp"
#include "hdfs/packet.hpp"
#include "hdfs/transfer_codec.hpp"
#include "support/transfer_recording.hpp"

#include <gtest/gtest.h>

namespace ydl::hdfs {
namespace {

namespace pb = hadoop::hdfs;
using testing::recorded_content;

BlockRange range(std::uint64_t offset, std::uint64_t length) {
  BlockRange range{.block = {}, .token = {}, .offset = offset, .length = length, .client_name = "test"};
  range.block.set_poolid("BP-1");
  range.block.set_blockid(1);
  range.block.set_generationstamp(1);
  range.token.set_identifier("");
  range.token.set_password("");
  range.token.set_kind("");
  range.token.set_service("");
  return range;
}

struct Outcome {
  std::string data;
  bool finished = false;
  std::error_code error;
};

// Drives the state machine like BlockReader, with `stream` divided into reads of `step` bytes. The end of the stream is
// a lost connection.
Outcome run(BlockReadFsm& fsm, std::string_view stream, std::size_t step) {
  Outcome outcome;
  std::string buffer;
  for (;;) {
    const auto action = fsm.resume(buffer);
    if (!action) {
      outcome.error = action.error().code;
      return outcome;
    }
    outcome.data.append(action->data.begin(), action->data.end());
    buffer.erase(0, action->consumed);
    if (action->kind == BlockReadFsm::ActionKind::finish) {
      outcome.finished = buffer.empty() && stream.empty();
      return outcome;
    }
    if (action->kind != BlockReadFsm::ActionKind::read) continue;
    EXPECT_GT(action->need, buffer.size());
    if (stream.empty()) return outcome;
    buffer += stream.substr(0, step);
    stream.remove_prefix(std::min(step, stream.size()));
  }
}

pb::BlockOpResponseProto success(std::uint64_t chunk_offset) {
  pb::BlockOpResponseProto answer;
  answer.set_status(pb::SUCCESS);
  *answer.mutable_readopchecksuminfo()->mutable_checksum() = to_proto(Checksum{});
  answer.mutable_readopchecksuminfo()->set_chunkoffset(chunk_offset);
  return answer;
}

// The packets (of two chunks each) that a DataNode sends for `content` from offset `from` on.
std::string packets(const std::string& content, std::size_t from) {
  std::string out;
  Packetizer packetizer({.packet_bytes = 33 + 2 * 516}, 0);
  std::span<const char> rest(content);
  std::int64_t seqno = 0;
  while (!rest.empty()) {
    auto taken = packetizer.take(rest);
    rest = rest.subspan(taken.bytes);
    auto packet = taken.packet ? std::move(taken.packet) : packetizer.flush(Sync::no);
    if (packet->header().offset < static_cast<std::int64_t>(from)) continue;
    packet->seal(seqno++, false);
    out += packet->bytes();
  }
  out += Packet::empty({.offset = static_cast<std::int64_t>(content.size()), .seqno = seqno, .last = true}).bytes();
  return out;
}

TEST(BlockRead, the_recorded_bytes_of_a_datanode_are_decoded) {
  const testing::TransferRecording recording("hdfs-plain");
  const std::string& client = recording.client(2);
  const auto op = decode_delimited<pb::OpReadBlockProto>(std::span(client).subspan(3));
  ASSERT_TRUE(op.has_value() && op->has_value());
  const auto& asked = (*op)->message;
  BlockReadFsm fsm({.block = asked.header().baseheader().block(),
                    .token = asked.header().baseheader().token(),
                    .offset = asked.offset(),
                    .length = asked.len(),
                    .client_name = asked.header().clientname()});
  EXPECT_EQ(fsm.start() + fsm.finish(), client);
  const auto outcome = run(fsm, recording.server(2), 100);
  EXPECT_TRUE(outcome.finished);
  EXPECT_EQ(outcome.data, recorded_content(1300).substr(600, 650));
}

TEST(BlockRead, exactly_the_requested_range_is_returned) {
  const std::string content = recorded_content(5000);
  const std::string stream = encode_delimited(success(1024)) + packets(content, 1024);
  for (const std::uint64_t offset : {1024U, 1025U, 1535U}) {
    for (const std::uint64_t length : {1U, 512U, 3000U, 3465U}) {
      BlockReadFsm fsm(range(offset, length));
      auto outcome = run(fsm, stream, 700);
      // A real DataNode stops after the last requested chunk; this one sends the whole block.
      EXPECT_EQ(outcome.data, content.substr(offset, length));
    }
  }
}

TEST(BlockRead, reads_may_divide_the_stream_anywhere) {
  const std::string content = recorded_content(3000);
  const std::string stream = encode_delimited(success(0)) + packets(content, 0);
  for (const std::size_t step : {1U, 2U, 5U, 6U, 30U, 31U, 1000U, 100000U}) {
    BlockReadFsm fsm(range(0, 3000));
    const auto outcome = run(fsm, stream, step);
    EXPECT_TRUE(outcome.finished) << step;
    EXPECT_EQ(outcome.data, content);
  }
}

TEST(BlockRead, a_stream_that_ends_early_is_not_finished_and_its_data_is_correct) {
  const std::string content = recorded_content(3000);
  const std::string stream = encode_delimited(success(0)) + packets(content, 0);
  for (std::size_t size = 0; size < stream.size(); ++size) {
    BlockReadFsm fsm(range(0, 3000));
    const auto outcome = run(fsm, std::string_view(stream).substr(0, size), 64);
    EXPECT_FALSE(outcome.finished);
    EXPECT_FALSE(outcome.error);
    EXPECT_TRUE(content.starts_with(outcome.data));
    EXPECT_EQ(fsm.position(), outcome.data.size());
  }
}

TEST(BlockRead, any_modified_byte_is_an_error) {
  const std::string content = recorded_content(1500);
  const std::string stream = encode_delimited(success(0)) + packets(content, 0);
  for (std::size_t at = 0; at < stream.size(); ++at) {
    std::string damaged = stream;
    damaged[at] ^= 0x10;
    BlockReadFsm fsm(range(0, 1500));
    const auto outcome = run(fsm, damaged, 4096);
    EXPECT_TRUE(content.starts_with(outcome.data)) << at;
  }
}

TEST(BlockRead, refusals_have_codes_that_tell_what_to_do_next) {
  pb::BlockOpResponseProto answer;
  answer.set_status(pb::ERROR_ACCESS_TOKEN);
  BlockReadFsm with_old_token(range(0, 10));
  EXPECT_EQ(run(with_old_token, encode_delimited(answer), 100).error, Errc::access_token);
  answer.set_status(pb::ERROR);
  answer.set_message("Replica not found");
  BlockReadFsm from_wrong_node(range(0, 10));
  EXPECT_EQ(run(from_wrong_node, encode_delimited(answer), 100).error, Errc::datanode_refused);
}

TEST(BlockRead, a_damaged_chunk_and_a_protocol_violation_have_different_codes) {
  const std::string content = recorded_content(1000);
  std::string stream = encode_delimited(success(0)) + packets(content, 0);
  stream[stream.size() - 40] ^= 1;  // in the data of the only packet
  BlockReadFsm fsm(range(0, 1000));
  EXPECT_EQ(run(fsm, stream, 100000).error, Errc::checksum_mismatch);
  BlockReadFsm wrong_start(range(600, 100));
  EXPECT_EQ(run(wrong_start, encode_delimited(success(0)), 100).error, Errc::protocol);
}

TEST(BlockRead, a_replica_that_is_too_short_is_an_error) {
  const std::string content = recorded_content(1000);
  BlockReadFsm fsm(range(0, 1001));
  EXPECT_EQ(run(fsm, encode_delimited(success(0)) + packets(content, 0), 100000).error, Errc::protocol);
}

}  // namespace
}  // namespace ydl::hdfs
