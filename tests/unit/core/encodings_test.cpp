#include "core/base64.hpp"
#include "core/sha256.hpp"

#include <gtest/gtest.h>

namespace ydl::core {
namespace {

// The examples of RFC 4648.
TEST(Base64, matches_the_examples_of_the_standard) {
  EXPECT_EQ(to_base64(""), "");
  EXPECT_EQ(to_base64("f"), "Zg==");
  EXPECT_EQ(to_base64("fo"), "Zm8=");
  EXPECT_EQ(to_base64("foo"), "Zm9v");
  EXPECT_EQ(to_base64("foob"), "Zm9vYg==");
  EXPECT_EQ(to_base64("fooba"), "Zm9vYmE=");
  EXPECT_EQ(to_base64("foobar"), "Zm9vYmFy");
}

TEST(Base64, any_bytes_survive_encoding_and_decoding) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes.push_back(static_cast<char>(i));
  for (std::size_t size = 0; size <= bytes.size(); ++size) {
    EXPECT_EQ(from_base64(to_base64(bytes.substr(0, size))), bytes.substr(0, size));
  }
}

TEST(Base64, invalid_text_is_refused) {
  for (const auto* text : {"Z", "Zg=", "Zg==Zg==", "Zm9*", "====", "Z===", "Zm9v\n"}) {
    EXPECT_FALSE(from_base64(text)) << text;
  }
}

TEST(Sha256, the_hash_of_pieces_equals_the_hash_of_the_whole) {
  Sha256 pieces;
  pieces.add("a");
  pieces.add("bc");
  EXPECT_EQ(pieces.hex(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Sha256().hex(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

}  // namespace
}  // namespace ydl::core
