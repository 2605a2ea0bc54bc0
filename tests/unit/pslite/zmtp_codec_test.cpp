#include "pslite/zmtp_codec.hpp"

#include "pslite/zmtp_session.hpp"
#include "support/hex.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::pslite::zmtp {
namespace {

using ::testing::HasSubstr;
using ydl::testing::from_hex;

Decoder greeted(Limits limits = {}) {
  Decoder decoder(limits);
  EXPECT_TRUE(decoder.feed(encode_greeting()));
  return decoder;
}

std::string refusal(Decoder decoder, std::string_view hex) {
  const auto events = decoder.feed(from_hex(hex));
  EXPECT_FALSE(events) << hex;
  return events ? "accepted" : events.error().message;
}

TEST(ZmtpDecoder, the_events_do_not_depend_on_the_division_of_the_bytes) {
  const std::string bytes = encode_greeting() + encode_ready({{"Socket-Type", "DEALER"}, {"Identity", "ps9"}}) +
                            encode_message("short") + encode_message(std::string(300, 'x')) +
                            encode_message(Message{{"a", "", std::string(256, 'b')}});
  Decoder whole;
  const auto expected = whole.feed(bytes);
  ASSERT_TRUE(expected) << expected.error().message;
  ASSERT_EQ(expected->size(), 5U);
  for (const std::size_t piece : {1U, 2U, 7U, 63U, 64U, 65U}) {
    Decoder decoder;
    std::vector<Event> events;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      auto some = decoder.feed(std::string_view(bytes).substr(at, piece));
      ASSERT_TRUE(some);
      events.insert(events.end(), some->begin(), some->end());
    }
    EXPECT_EQ(events, *expected);
    EXPECT_EQ(decoder.buffered(), 0U);
  }
}

TEST(ZmtpDecoder, another_protocol_is_refused_at_the_first_byte) {
  EXPECT_THAT(refusal(Decoder(), "47"), HasSubstr("does not speak ZeroMQ"));  // "GET / HTTP/1.1"
  EXPECT_THAT(refusal(Decoder(), "ff00000000000000000000"), HasSubstr("does not speak ZeroMQ"));
  EXPECT_THAT(refusal(Decoder(), "ff00000000000000017f01"), HasSubstr("older than 3.0"));
}

TEST(ZmtpDecoder, an_announced_size_above_the_limit_is_refused_before_allocation) {
  Decoder decoder = greeted();
  // 2 GB, and the largest possible size.
  EXPECT_THAT(refusal(decoder, "02 0000000080000000"), HasSubstr("a frame of 2147483648 bytes was announced"));
  EXPECT_THAT(refusal(decoder, "02 ffffffffffffffff"), HasSubstr("was announced"));
  EXPECT_THAT(refusal(decoder, "06 0000000000001001"), HasSubstr("a command of 4097 bytes was announced"));
  EXPECT_EQ(decoder.buffered(), 0U);
}

TEST(ZmtpDecoder, the_total_of_all_frames_of_a_message_is_limited) {
  Decoder decoder = greeted({.frame_bytes = 10, .message_frames = 3});
  EXPECT_TRUE(decoder.feed(from_hex("01 06 616161616161")));
  EXPECT_THAT(refusal(decoder, "00 05"), HasSubstr("a message may have at most 10"));
  Decoder many = greeted({.frame_bytes = 10, .message_frames = 3});
  EXPECT_TRUE(many.feed(from_hex("0100 0100 0100")));
  EXPECT_THAT(refusal(many, "0000"), HasSubstr("more than 3 frames"));
  EXPECT_TRUE(greeted({.frame_bytes = 10}).feed(from_hex("00 0a 61616161616161616161")));
}

TEST(ZmtpDecoder, unknown_flags_are_refused) {
  EXPECT_THAT(refusal(greeted(), "08 00"), HasSubstr("unknown flags 0x08"));
  EXPECT_THAT(refusal(greeted(), "05 00"), HasSubstr("marked as part of a message"));
  EXPECT_THAT(refusal(greeted(), "04 00"), HasSubstr("no name"));
  EXPECT_THAT(refusal(greeted(), "04 02 0541"), HasSubstr("does not fit"));
}

TEST(ZmtpProperties, truncated_properties_are_refused) {
  EXPECT_TRUE(decode_properties(""));
  for (const auto* hex : {"00", "05", "01 41 000000", "01 41 00000001", "01 41 ffffffff 00"}) {
    EXPECT_FALSE(decode_properties(from_hex(hex))) << hex;
  }
}

TEST(ZmtpSession, two_sessions_connect_and_exchange_messages) {
  Session router(SocketType::router, "");
  Session dealer(SocketType::dealer, "ps1");
  const auto ready = router.feed(Session::first_bytes());
  ASSERT_TRUE(ready);
  EXPECT_FALSE(router.open());
  auto step = dealer.feed(Session::first_bytes());
  ASSERT_TRUE(step);
  const auto opened = router.feed(step->output);
  ASSERT_TRUE(opened);
  EXPECT_TRUE(opened->opened);
  EXPECT_EQ(router.peer_identity(), "ps1");
  ASSERT_TRUE(dealer.feed(ready->output));
  EXPECT_TRUE(dealer.open());
  const auto message = router.feed(encode_message("hello"));
  ASSERT_TRUE(message);
  EXPECT_EQ(message->messages, (std::vector<Message>{Message{{"hello"}}}));
}

TEST(ZmtpSession, a_peer_with_the_wrong_socket_type_is_refused) {
  const auto refused = [](const std::string& bytes) {
    Session session(SocketType::router, "");
    const auto step = session.feed(bytes);
    EXPECT_FALSE(step);
    return step ? "accepted" : step.error().message;
  };
  std::string curve = encode_greeting();
  curve.replace(12, 5, "CURVE");
  EXPECT_THAT(refused(curve), HasSubstr("mechanism 'CURVE'"));
  EXPECT_THAT(refused(encode_greeting() + encode_ready({{"socket-type", "PUB"}})),
              HasSubstr("type 'PUB', but DEALER is required"));
  EXPECT_THAT(refused(encode_greeting() + encode_message("x")), HasSubstr("before READY"));
  EXPECT_THAT(refused(encode_greeting() + from_hex("04 09 055245414459 05 41 42")), HasSubstr("truncated"));
  EXPECT_THAT(refused(encode_greeting() + from_hex("04 0a 05 4552524f52 03 6e6f21")),
              HasSubstr("refused the connection"));
  EXPECT_THAT(refused(encode_greeting() + from_hex("04 05 04 50494e47")),
              HasSubstr("the first command of the peer is not READY"));
}

TEST(ZmtpSession, commands_of_newer_peers_are_ignored_once_open) {
  Session session(SocketType::router, "");
  ASSERT_TRUE(session.feed(encode_greeting() + encode_ready({{"Socket-Type", "DEALER"}})));
  const auto step = session.feed(from_hex("04 07 04 50494e47 0000"));
  ASSERT_TRUE(step);
  EXPECT_TRUE(step->messages.empty());
}

}  // namespace
}  // namespace ydl::pslite::zmtp
