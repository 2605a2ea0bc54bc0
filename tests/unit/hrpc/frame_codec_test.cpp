#include "hrpc/frame_codec.hpp"

#include "hrpc/errors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::hrpc {
namespace {

using namespace std::string_literals;
using ::testing::HasSubstr;

core::Error refusal(std::string_view bytes, std::uint32_t limit = 1000) {
  FrameReader reader(limit);
  reader.feed(bytes);
  const auto frame = reader.next();
  return frame ? core::Error{} : frame.error();
}

TEST(FrameCodec, frames_are_complete_for_any_division_of_the_bytes) {
  const std::string bytes = encode_frame("first") + encode_frame(std::string(300, 'x')) + encode_frame("z");
  for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
    FrameReader reader(1000);
    std::vector<std::string> frames;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      reader.feed(std::string_view(bytes).substr(at, piece));
      for (;;) {
        auto frame = reader.next();
        ASSERT_TRUE(frame);
        if (!*frame) break;
        frames.push_back(**frame);
      }
    }
    EXPECT_EQ(frames, (std::vector<std::string>{"first", std::string(300, 'x'), "z"})) << "pieces of " << piece;
    EXPECT_EQ(reader.buffered(), 0U);
  }
}

TEST(FrameCodec, a_length_over_the_limit_is_refused_before_the_bytes_arrive) {
  FrameReader reader(1000);
  reader.feed(encode_frame("ok"));
  ASSERT_TRUE(reader.next());
  for (const auto& length : {"\xff\xff\xff\xff"s, "\x80\x00\x00\x00"s, "\x00\x00\x03\xe9"s, "\x00\x00\x00\x00"s}) {
    FrameReader after_one = reader;
    after_one.feed(length);
    const auto frame = after_one.next();
    ASSERT_FALSE(frame);
    EXPECT_EQ(frame.error().code, Errc::corrupt);
  }
  reader.feed("\x00\x00\x03\xe8"s);
  EXPECT_TRUE(reader.next());
}

TEST(FrameCodec, other_services_on_the_port_are_named) {
  EXPECT_THAT(refusal("HTTP/1.1 404 Not Found\r\n").message,
              HasSubstr("an HTTP server answered instead of Hadoop RPC"));
  EXPECT_THAT(refusal("SSH-2.0-OpenSSH_9.2\r\n").message, HasSubstr("an SSH server answered instead of Hadoop RPC"));
  EXPECT_THAT(refusal("\x15\x03\x01\x00\x02\x02\x28"s).message,
              HasSubstr("a TLS server answered instead of Hadoop RPC"));
  EXPECT_THAT(refusal("\xff\xff\xff\xff"s).message, HasSubstr("before 9"));
  EXPECT_THAT(refusal("what?").message, HasSubstr("starts with 'what'"));
  EXPECT_EQ(refusal("HTTP/1.1").code, Errc::not_hadoop);
}

TEST(FrameCodec, delimited_messages_can_be_read_back) {
  std::string bytes;
  append_delimited(bytes, "");
  append_delimited(bytes, std::string(127, 'a'));
  append_delimited(bytes, std::string(128, 'b'));
  append_delimited(bytes, std::string(70000, 'c'));
  std::string_view rest = bytes;
  EXPECT_EQ(take_delimited(rest), "");
  EXPECT_EQ(take_delimited(rest), std::string(127, 'a'));
  EXPECT_EQ(take_delimited(rest), std::string(128, 'b'));
  EXPECT_EQ(take_delimited(rest), std::string(70000, 'c'));
  EXPECT_TRUE(rest.empty());
  EXPECT_EQ(take_delimited(rest), std::nullopt);
}

TEST(FrameCodec, an_incomplete_delimited_message_is_refused) {
  for (const auto& bytes : {"\x05"s + "four", "\xff\xff\xff\xff\xff\x01x"s, "\x80"s, "\xff\xff\xff\xff\x0f"s}) {
    std::string_view rest = bytes;
    EXPECT_EQ(take_delimited(rest), std::nullopt);
    EXPECT_EQ(rest, bytes);
  }
}

}  // namespace
}  // namespace ydl::hrpc
