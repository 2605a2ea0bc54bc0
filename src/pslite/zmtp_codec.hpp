#pragma once

#include "core/result.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

// ZMTP 3.0 with the NULL mechanism: the bytes of ZeroMQ's TCP transport.
//
//   greeting, 64 bytes, from both sides at once
//     ff 00 00 00 00 00 00 00 00|01 7f | 03 00 | "NULL" 00*16 | 00 | 00*31
//     signature                        version   mechanism    as-server
//
//   frame
//     flags (1)  bit 0: more frames of this message follow   bit 1: the size has 8 bytes   bit 2: a command
//     size       1 byte, or 8 bytes big-endian
//     body
//
//   command body:   name length (1) | name | data
//   READY data:     { name length (1) | name | value length (4, big-endian) | value } *
namespace ydl::pslite::zmtp {

inline constexpr std::size_t kGreetingBytes = 64;

struct Limits {
  std::size_t frame_bytes = std::size_t{1} << 20U;  // limit for one frame and for all frames of one message
  std::size_t message_frames = 16;
  std::size_t command_bytes = std::size_t{4} << 10U;
};

struct Greeting {
  int major = 0;
  int minor = 0;
  std::string mechanism;
  bool operator==(const Greeting&) const = default;
};
struct CommandFrame {
  std::string name;
  std::string data;
  bool operator==(const CommandFrame&) const = default;
};
struct Message {
  std::vector<std::string> frames;
  bool operator==(const Message&) const = default;
};
using Event = std::variant<Greeting, CommandFrame, Message>;

// Decodes bytes in pieces of any size to events. After an Error (Errc::corrupt) the connection must be closed. Every
// size from the peer is checked against a limit before memory is allocated.
class Decoder {
 public:
  explicit Decoder(Limits limits = {}) : limits_(limits) {}

  [[nodiscard]] core::Result<std::vector<Event>> feed(std::string_view bytes);

  // Bytes held for an incomplete greeting, frame or message.
  [[nodiscard]] std::size_t buffered() const { return buffer_.size() + message_bytes_; }

 private:
  struct Header;
  [[nodiscard]] core::Result<std::size_t> parse(std::string_view bytes, std::vector<Event>& events);
  [[nodiscard]] core::Result<void> check(const Header& header) const;

  Limits limits_;
  std::string buffer_;
  bool greeted_ = false;
  Message message_;
  std::size_t message_bytes_ = 0;
};

using Properties = std::vector<std::pair<std::string, std::string>>;

[[nodiscard]] std::string encode_greeting();
[[nodiscard]] std::string encode_ready(const Properties& properties);
// Decodes the data of READY. Names are case-insensitive, so callers must compare them accordingly.
[[nodiscard]] core::Result<Properties> decode_properties(std::string_view data);
[[nodiscard]] std::string encode_message(std::string_view only_frame);
[[nodiscard]] std::string encode_message(const Message& message);

}  // namespace ydl::pslite::zmtp
