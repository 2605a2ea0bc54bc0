#include "hdfs/packet.hpp"

#include "support/transfer_recording.hpp"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace ydl::hdfs {
namespace {

using testing::recorded_content;

constexpr Packetizer::Format kSmall{.checksum = {}, .packet_bytes = 33 + 3 * 516, .block_bytes = 4096};

std::vector<Packet> write(Packetizer& packetizer, std::span<const char> data) {
  std::vector<Packet> packets;
  while (!data.empty()) {
    auto taken = packetizer.take(data);
    if (taken.packet) packets.push_back(std::move(*taken.packet));
    if (taken.bytes == 0) break;
    data = data.subspan(taken.bytes);
  }
  return packets;
}

std::string text(std::span<const char> bytes) {
  return {bytes.begin(), bytes.end()};
}

TEST(Packetizer, packets_equal_those_of_hadoops_client) {
  // The recording has 700 bytes, hflush, 600 bytes, hsync, close. On close Java sends the last partial chunk again
  // although it has no new bytes; we do not.
  const testing::TransferRecording recording("hdfs-plain");
  const std::string content = recorded_content(1300);
  Packetizer packetizer({.block_bytes = 1048576}, 0);
  std::string sent;
  EXPECT_TRUE(write(packetizer, std::span(content).first(700)).empty());
  sent += packetizer.flush(Sync::no)->bytes();
  EXPECT_TRUE(write(packetizer, std::span(content).subspan(700)).empty());
  sent += packetizer.flush(Sync::yes)->bytes();
  const std::string& recorded = recording.client(1);
  EXPECT_NE(recorded.find(sent), std::string::npos);
  EXPECT_FALSE(packetizer.flush(Sync::no));
}

TEST(Packetizer, packets_of_an_append_equal_those_of_hadoops_client) {
  const testing::TransferRecording recording("hdfs-plain");
  const std::string content = recorded_content(100);
  Packetizer packetizer({.block_bytes = 1048576}, 1300);
  EXPECT_TRUE(write(packetizer, content).empty());
  std::string sent(packetizer.flush(Sync::no)->bytes());
  sent += packetizer.last().bytes();
  EXPECT_TRUE(recording.client(3).ends_with(sent));
}

TEST(Packetizer, a_full_packet_has_126_chunks_as_in_java) {
  Packetizer packetizer({}, 0);
  const auto packets = write(packetizer, std::string(64512 * 2, 'x'));
  ASSERT_EQ(packets.size(), 2U);
  EXPECT_EQ(packets[1].header(), (PacketHeader{.offset = 64512, .seqno = 1, .data_size = 64512}));
  EXPECT_EQ(packets[1].bytes().size(), 31U + 126U * 516U);
}

TEST(Packetizer, after_a_flush_within_a_chunk_its_start_is_repeated) {
  Packetizer packetizer(kSmall, 0);
  const std::string content = recorded_content(1200);
  EXPECT_TRUE(write(packetizer, std::span(content).first(700)).empty());
  EXPECT_EQ(packetizer.flush(Sync::no)->end(), 700U);
  EXPECT_TRUE(write(packetizer, std::span(content).subspan(700)).empty());
  const auto second = packetizer.flush(Sync::no);
  EXPECT_EQ(second->header().offset, 512);
  EXPECT_EQ(text(second->data()), content.substr(512));
}

TEST(Packetizer, a_flush_at_a_chunk_boundary_repeats_nothing) {
  Packetizer packetizer(kSmall, 0);
  EXPECT_TRUE(write(packetizer, std::string(512, 'a')).empty());
  EXPECT_EQ(packetizer.flush(Sync::no)->end(), 512U);
  EXPECT_TRUE(write(packetizer, std::string(1, 'b')).empty());
  EXPECT_EQ(packetizer.flush(Sync::no)->header().offset, 512);
}

TEST(Packetizer, a_flush_without_new_bytes_sends_nothing_but_a_sync_does) {
  Packetizer packetizer(kSmall, 0);
  EXPECT_FALSE(packetizer.flush(Sync::no));
  EXPECT_TRUE(write(packetizer, std::string(100, 'a')).empty());
  EXPECT_TRUE(packetizer.flush(Sync::no));
  EXPECT_FALSE(packetizer.flush(Sync::no));
  EXPECT_EQ(packetizer.flush(Sync::yes)->header(), (PacketHeader{.offset = 100, .seqno = 1, .sync = true}));
}

TEST(Packetizer, an_append_within_a_chunk_first_fills_this_chunk) {
  Packetizer packetizer(kSmall, 700);
  const std::string content = recorded_content(2000);
  auto packets = write(packetizer, content);
  ASSERT_EQ(packets.size(), 2U);
  EXPECT_EQ(packets[0].header(), (PacketHeader{.offset = 700, .seqno = 0, .data_size = 324}));
  EXPECT_EQ(packets[1].header(), (PacketHeader{.offset = 1024, .seqno = 1, .data_size = 1536}));
  EXPECT_EQ(packetizer.flush(Sync::no)->header(), (PacketHeader{.offset = 2560, .seqno = 2, .data_size = 140}));
}

TEST(Packetizer, a_flush_within_an_appended_chunk_repeats_the_appended_bytes_only) {
  Packetizer packetizer(kSmall, 700);
  EXPECT_TRUE(write(packetizer, std::string(10, 'a')).empty());
  EXPECT_EQ(packetizer.flush(Sync::no)->header(), (PacketHeader{.offset = 700, .seqno = 0, .data_size = 10}));
  EXPECT_TRUE(write(packetizer, std::string(10, 'b')).empty());
  EXPECT_EQ(packetizer.flush(Sync::no)->header(), (PacketHeader{.offset = 700, .seqno = 1, .data_size = 20}));
}

TEST(Packetizer, the_block_does_not_depend_on_the_sizes_of_the_writes) {
  const std::string content = recorded_content(4096);
  for (const std::size_t piece : {1U, 100U, 511U, 512U, 513U, 1536U, 1537U, 4096U, 5000U}) {
    Packetizer packetizer(kSmall, 0);
    std::string block;
    for (std::size_t at = 0; at < content.size(); at += piece) {
      auto packets = write(packetizer, std::span(content).subspan(at, std::min(piece, content.size() - at)));
      if (auto rest = packetizer.flush(Sync::no)) packets.push_back(std::move(*rest));
      for (const auto& packet : packets) {
        block.resize(static_cast<std::size_t>(packet.header().offset));
        block += text(packet.data());
      }
    }
    EXPECT_EQ(block, content) << piece;
    EXPECT_TRUE(packetizer.block_full());
    EXPECT_EQ(packetizer.take(content).bytes, 0U);
    EXPECT_EQ(packetizer.last().header().offset, 4096);
  }
}

}  // namespace
}  // namespace ydl::hdfs
