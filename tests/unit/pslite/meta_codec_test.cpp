#include "pslite/meta_codec.hpp"

#include "support/hex.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::pslite {
namespace {

using ::testing::HasSubstr;
using ydl::testing::from_hex;

std::string refusal(std::string_view hex, const MetaLimits& limits = {}) {
  const auto meta = decode_meta(from_hex(hex), limits);
  EXPECT_FALSE(meta) << hex;
  return meta ? "accepted" : meta.error().message;
}

Meta add_node() {
  Meta meta;
  meta.control =
      Control{.command = Command::add_node, .nodes = {Node{.role = Role::worker, .host = "127.0.0.1", .port = 45287}}};
  meta.timestamp = 0;
  return meta;
}

TEST(MetaCodec, every_field_survives_a_round_trip) {
  Meta meta;
  meta.head = -7;
  meta.body = std::string("\0body", 5);
  meta.control = Control{
      .command = Command::ack,
      .nodes =
          {Node{.role = Role::server, .id = NodeId{8}, .host = "h", .port = 1, .is_recovery = true, .customer_id = 3},
           Node{.role = Role::scheduler, .id = kSchedulerId, .host = "", .port = 65'535}},
      .barrier_group = 6,
      .message_signature = 0xfffeffffffffffffULL};
  meta.request = meta.push = meta.pull = meta.simple_app = true;
  meta.app_id = 0;
  meta.timestamp = 123'456'789;
  meta.data_types = {9, 4, -1, 0};
  meta.customer_id = 2;
  meta.data_size = 77;
  meta.priority = -5;
  const auto decoded = decode_meta(encode(meta));
  ASSERT_TRUE(decoded) << decoded.error().message;
  EXPECT_EQ(*decoded, meta);
}

TEST(MetaCodec, int_max_means_empty) {
  const auto decoded = decode_meta(encode(add_node()));
  ASSERT_TRUE(decoded);
  EXPECT_FALSE(decoded->head);
  EXPECT_FALSE(decoded->customer_id);
  EXPECT_FALSE(decoded->app_id);
  EXPECT_FALSE(decoded->control->nodes.at(0).id);
  EXPECT_EQ(encode(Meta{}), from_hex("08ffffffff07 2000 2800 3000 50ffffffff07 6000 6800"));
}

TEST(MetaCodec, unknown_fields_of_every_wire_type_are_skipped) {
  // 100: varint, 101: 8 bytes, 102: bytes, 103: 4 bytes.
  const auto decoded = decode_meta(from_hex("a00605 a9060102030405060708 b20603616263 bd0601020304 4003"));
  ASSERT_TRUE(decoded) << decoded.error().message;
  EXPECT_EQ(decoded->timestamp, 3);
}

TEST(MetaCodec, unpacked_data_types_are_accepted_too) {
  const auto decoded = decode_meta(from_hex("4804 4a020905 4a00"));
  ASSERT_TRUE(decoded) << decoded.error().message;
  EXPECT_EQ(decoded->data_types, (std::vector<std::int32_t>{4, 9, 5}));
}

TEST(MetaCodec, wrong_wire_types_are_refused) {
  EXPECT_THAT(refusal("0a00"), HasSubstr("field 1 has the wrong wire type"));
  EXPECT_THAT(refusal("1801"), HasSubstr("field 3 has the wrong wire type"));
  EXPECT_THAT(refusal("1001"), HasSubstr("field 2 has the wrong wire type"));
  EXPECT_THAT(refusal("1a04 0802 1001"), HasSubstr("field 2 has the wrong wire type"));
  EXPECT_THAT(refusal("4d00000000"), HasSubstr("field 9 has the wrong wire type"));
  EXPECT_THAT(refusal("0b"), HasSubstr("unknown wire type 3"));
}

TEST(MetaCodec, truncated_messages_are_refused) {
  // The control (31 bytes, starting with the ninth) cannot be truncated anywhere. Later fields can, between two of
  // them.
  const std::string whole = encode(add_node());
  for (std::size_t cut = 7; cut < 8 + 31; ++cut) {
    EXPECT_FALSE(decode_meta(std::string_view(whole).substr(0, cut))) << cut;
  }
  EXPECT_TRUE(decode_meta(std::string_view(whole).substr(0, 8 + 31)));
  EXPECT_THAT(refusal("0880"), HasSubstr("truncated"));
  EXPECT_THAT(refusal("12ffffffff0f61"), HasSubstr("announces 4294967295 bytes, but only 1 are left"));
}

TEST(MetaCodec, numbers_out_of_range_are_refused) {
  EXPECT_THAT(refusal("088080808010"), HasSubstr("not a 32-bit number"));
  EXPECT_THAT(refusal("08ffffffffffffffffff7f"), HasSubstr("longer than 64 bits"));
  EXPECT_THAT(refusal("08ffffffffffffffffffff01"), HasSubstr("longer than 64 bits"));
  EXPECT_THAT(refusal("00"), HasSubstr("field number is out of range"));
  EXPECT_EQ(decode_meta(from_hex("08ffffffffffffffffff01"))->head, -1);
}

TEST(MetaCodec, missing_required_fields_and_unknown_values_are_refused) {
  EXPECT_THAT(refusal("1a00"), HasSubstr("has no command"));
  EXPECT_THAT(refusal("1a020806"), HasSubstr("unknown command 6"));
  EXPECT_THAT(refusal("1a04 0802 1200"), HasSubstr("a node has no role"));
  EXPECT_THAT(refusal("1a06 0802 1202 0803"), HasSubstr("unknown role 3"));
  EXPECT_THAT(refusal("1a020803 1a020803"), HasSubstr("two controls"));
}

TEST(MetaCodec, counts_and_lengths_above_the_limits_are_refused) {
  const MetaLimits tight{.nodes = 1, .host_bytes = 3, .body_bytes = 2, .data_types = 2};
  EXPECT_THAT(refusal("1203616263", tight), HasSubstr("at most 2 are allowed"));
  EXPECT_THAT(refusal("1a0a 0802 1202 0801 1202 0801", tight), HasSubstr("more than 1 nodes"));
  EXPECT_THAT(refusal("1a0a 0802 1206 1a0461626364", tight), HasSubstr("at most 3 are allowed"));
  EXPECT_THAT(refusal("4a03010203", tight), HasSubstr("more than 2 numbers"));
  EXPECT_THAT(refusal("4801 4802 4803", tight), HasSubstr("too many data types"));
  EXPECT_TRUE(decode_meta(from_hex("4a020102"), tight));
}

}  // namespace
}  // namespace ydl::pslite
