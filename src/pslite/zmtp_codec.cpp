#include "pslite/zmtp_codec.hpp"

#include "core/assert.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace ydl::pslite::zmtp {
namespace {

using core::Errc;
using core::fail;
using core::Result;

constexpr unsigned kMore = 1;
constexpr unsigned kLong = 2;
constexpr unsigned kCommand = 4;

unsigned byte_at(std::string_view bytes, std::size_t index) {
  return static_cast<unsigned char>(bytes[index]);
}

std::uint64_t big_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char byte : bytes) value = (value << 8U) | static_cast<unsigned char>(byte);
  return value;
}

void put_big_endian(std::string& out, std::uint64_t value, unsigned bytes) {
  for (unsigned i = bytes; i-- > 0;) out.push_back(static_cast<char>((value >> (8 * i)) & 0xffU));
}

std::string encode_frame(unsigned flags, std::string_view body) {
  std::string out;
  out.reserve(9 + body.size());
  const bool is_long = body.size() > 255;
  out.push_back(static_cast<char>(is_long ? flags | kLong : flags));
  put_big_endian(out, body.size(), is_long ? 8 : 1);
  out.append(body);
  return out;
}

// Checks as many bytes as there are, so that a peer with another protocol is refused before it has sent 64 bytes.
Result<void> check_signature(std::string_view bytes) {
  if (!bytes.empty() && byte_at(bytes, 0) != 0xff) return fail(Errc::corrupt, "the peer does not speak ZeroMQ");
  if (bytes.size() >= 10 && byte_at(bytes, 9) != 0x7f) return fail(Errc::corrupt, "the peer does not speak ZeroMQ");
  if (bytes.size() >= 11 && byte_at(bytes, 10) < 3) {
    return fail(Errc::corrupt,
                fmt::format("the peer uses ZMTP version {}, which is older than 3.0", byte_at(bytes, 10)));
  }
  return {};
}

Greeting parse_greeting(std::string_view bytes) {
  const std::string_view mechanism = bytes.substr(12, 20);
  return Greeting{.major = static_cast<int>(byte_at(bytes, 10)),
                  .minor = static_cast<int>(byte_at(bytes, 11)),
                  .mechanism = std::string(mechanism.substr(0, mechanism.find('\0')))};
}

Result<CommandFrame> parse_command(std::string_view body) {
  if (body.empty()) return fail(Errc::corrupt, "a command has no name");
  const std::size_t size = byte_at(body, 0);
  if (size == 0 || size + 1 > body.size())
    return fail(Errc::corrupt, "the name of a command does not fit into its frame");
  return CommandFrame{.name = std::string(body.substr(1, size)), .data = std::string(body.substr(1 + size))};
}

}  // namespace

struct Decoder::Header {
  unsigned flags = 0;
  std::size_t bytes = 0;  // size of the header itself
  std::uint64_t body = 0;

  // Nothing if the header is incomplete.
  static std::optional<Header> parse(std::string_view bytes) {
    if (bytes.empty()) return std::nullopt;
    const unsigned flags = byte_at(bytes, 0);
    const std::size_t size_bytes = (flags & kLong) != 0 ? 8 : 1;
    if (bytes.size() < 1 + size_bytes) return std::nullopt;
    return Header{.flags = flags, .bytes = 1 + size_bytes, .body = big_endian(bytes.substr(1, size_bytes))};
  }
};

Result<void> Decoder::check(const Header& header) const {
  if ((header.flags & ~(kMore | kLong | kCommand)) != 0) {
    return fail(Errc::corrupt, fmt::format("a frame has the unknown flags {:#04x}", header.flags));
  }
  if ((header.flags & kCommand) != 0) {
    if ((header.flags & kMore) != 0) return fail(Errc::corrupt, "a command is marked as part of a message");
    if (header.body > limits_.command_bytes) {
      return fail(Errc::corrupt, fmt::format("a command of {} bytes was announced, but at most {} are allowed",
                                             header.body, limits_.command_bytes));
    }
    return {};
  }
  if (header.body > limits_.frame_bytes - message_bytes_) {
    return fail(Errc::corrupt, fmt::format("a frame of {} bytes was announced, but a message may have at most {}",
                                           header.body, limits_.frame_bytes));
  }
  if (message_.frames.size() == limits_.message_frames) {
    return fail(Errc::corrupt, fmt::format("a message has more than {} frames", limits_.message_frames));
  }
  return {};
}

// Decodes the first complete element in `bytes` and returns its size; 0 if none is complete.
Result<std::size_t> Decoder::parse(std::string_view bytes, std::vector<Event>& events) {
  if (!greeted_) {
    if (auto fine = check_signature(bytes); !fine) return fail(fine.error());
    if (bytes.size() < kGreetingBytes) return std::size_t{0};
    greeted_ = true;
    events.emplace_back(parse_greeting(bytes));
    return kGreetingBytes;
  }
  const auto header = Header::parse(bytes);
  if (!header) return std::size_t{0};
  if (auto fine = check(*header); !fine) return fail(fine.error());
  const auto body_bytes = static_cast<std::size_t>(header->body);
  if (bytes.size() - header->bytes < body_bytes) return std::size_t{0};
  const std::string_view body = bytes.substr(header->bytes, body_bytes);
  if ((header->flags & kCommand) != 0) {
    auto command = parse_command(body);
    if (!command) return fail(command.error());
    events.emplace_back(*std::move(command));
  } else {
    message_.frames.emplace_back(body);
    message_bytes_ += body_bytes;
    if ((header->flags & kMore) == 0) {
      events.emplace_back(std::exchange(message_, {}));
      message_bytes_ = 0;
    }
  }
  return header->bytes + body_bytes;
}

Result<std::vector<Event>> Decoder::feed(std::string_view bytes) {
  // Most reads contain complete frames, so only the remaining bytes are copied to the buffer.
  const bool continued = !buffer_.empty();
  if (continued) {
    buffer_.append(bytes);
    bytes = buffer_;
  }
  std::vector<Event> events;
  std::size_t consumed = 0;
  while (true) {
    const auto taken = parse(bytes.substr(consumed), events);
    if (!taken) return fail(taken.error());
    if (*taken == 0) break;
    consumed += *taken;
  }
  if (continued) {
    buffer_.erase(0, consumed);
  } else {
    buffer_ = bytes.substr(consumed);
  }
  return events;
}

std::string encode_greeting() {
  std::string out(kGreetingBytes, '\0');
  out[0] = '\xff';
  out[8] = '\x01';
  out[9] = '\x7f';
  out[10] = '\x03';
  out.replace(12, 4, "NULL");
  return out;
}

std::string encode_ready(const Properties& properties) {
  std::string body("\x05READY");
  for (const auto& [name, value] : properties) {
    YDL_ASSERT(!name.empty() && name.size() < 256);
    body.push_back(static_cast<char>(name.size()));
    body.append(name);
    put_big_endian(body, value.size(), 4);
    body.append(value);
  }
  return encode_frame(kCommand, body);
}

Result<Properties> decode_properties(std::string_view data) {
  Properties properties;
  while (!data.empty()) {
    const std::size_t name_bytes = byte_at(data, 0);
    if (name_bytes == 0 || data.size() < 1 + name_bytes + 4)
      return fail(Errc::corrupt, "a READY property is truncated");
    const std::string_view name = data.substr(1, name_bytes);
    const std::uint64_t value_bytes = big_endian(data.substr(1 + name_bytes, 4));
    data.remove_prefix(1 + name_bytes + 4);
    if (value_bytes > data.size()) return fail(Errc::corrupt, "the value of a READY property is truncated");
    properties.emplace_back(name, data.substr(0, static_cast<std::size_t>(value_bytes)));
    data.remove_prefix(static_cast<std::size_t>(value_bytes));
  }
  return properties;
}

std::string encode_message(std::string_view only_frame) {
  return encode_frame(0, only_frame);
}

std::string encode_message(const Message& message) {
  std::string out;
  for (std::size_t i = 0; i < message.frames.size(); ++i) {
    out += encode_frame(i + 1 < message.frames.size() ? kMore : 0, message.frames[i]);
  }
  return out;
}

}  // namespace ydl::pslite::zmtp
