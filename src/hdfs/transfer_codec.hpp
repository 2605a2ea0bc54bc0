#pragma once

#include "core/result.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <google/protobuf/message_lite.h>
#include <optional>
#include <span>
#include <string>
#include <string_view>

// Encoding of the DataNodes' data-transfer protocol.
//
//   request     00 1c | op (1) | varint length | Op...Proto
//   answer      varint length | BlockOpResponseProto
//   packet      PLEN (4, big-endian) | HLEN (2, big-endian) | PacketHeaderProto (HLEN) | checksums | data
//               PLEN counts itself, the checksums and the data, but neither HLEN nor the header
//   ack         varint length | PipelineAckProto
namespace ydl::hdfs {

enum class Op : std::uint8_t { write_block = 80, read_block = 81, transfer_block = 86 };

// for answers, acknowledgements and handshake messages
inline constexpr std::size_t kMessageLimit = std::size_t{1} << 20U;
inline constexpr std::size_t kPacketLimit = std::size_t{16} << 20U;  // dfs.data.transfer.max.packet.size

[[nodiscard]] std::string encode_op(Op op, const google::protobuf::MessageLite& message);
[[nodiscard]] std::string encode_delimited(const google::protobuf::MessageLite& message);

// The position of a message in bytes that start with its length.
struct Extent {
  std::size_t at = 0;
  std::size_t size = 0;
};

// Nothing if the message is incomplete. Errors: protocol (a length above the limit).
[[nodiscard]] core::Result<std::optional<Extent>> find_delimited(std::span<const char> bytes);

template <class Message>
struct Delimited {
  Message message;
  std::size_t size = 0;  // of the length prefix and the message
};

// Decodes a message with its length in front. Errors: protocol (also for an unknown enum value in a required field).
template <class Message>
[[nodiscard]] core::Result<std::optional<Delimited<Message>>> decode_delimited(std::span<const char> bytes);

struct PacketHeader {
  std::int64_t offset = 0;  // position of the data in the block
  std::int64_t seqno = 0;   // -1: a heartbeat
  bool last = false;
  bool sync = false;  // the DataNodes write the data to disk before they acknowledge it
  std::uint32_t data_size = 0;

  bool operator==(const PacketHeader&) const = default;
};

inline constexpr std::int64_t kHeartbeatSeqno = -1;
inline constexpr std::size_t kPacketPrefixSize = 6;                      // PLEN and HLEN
inline constexpr std::size_t kPacketHeadLimit = kPacketPrefixSize + 27;  // with the longest header that we write

// The bytes in front of the checksums.
struct PacketHead {
  std::array<char, kPacketHeadLimit> bytes{};
  std::size_t size = 0;
  [[nodiscard]] std::string_view view() const { return {bytes.data(), size}; }
};
[[nodiscard]] PacketHead encode_packet_head(const PacketHeader& header, std::size_t sum_bytes);

// The sizes of a packet's parts, known as soon as its head has been received.
struct PacketOutline {
  PacketHeader header;
  std::size_t head_size = 0;  // prefix and header; the checksums follow
  std::size_t sum_bytes = 0;
  [[nodiscard]] std::size_t size() const { return head_size + sum_bytes + header.data_size; }
};

// Nothing if the head is incomplete. Errors: protocol (lengths that are too large or contradict each other).
[[nodiscard]] core::Result<std::optional<PacketOutline>> decode_packet_head(std::span<const char> bytes);

// Whether `bytes` are a complete message. Protobuf's own function would print a line to standard error if not.
[[nodiscard]] bool parse(google::protobuf::MessageLite& message, std::span<const char> bytes);
[[nodiscard]] core::Error unreadable_message(std::string_view type);

template <class Message>
core::Result<std::optional<Delimited<Message>>> decode_delimited(std::span<const char> bytes) {
  const auto extent = find_delimited(bytes);
  if (!extent) return core::fail(extent.error());
  if (!*extent) return std::nullopt;
  const auto& where = **extent;
  Delimited<Message> delimited{{}, where.at + where.size};
  if (!parse(delimited.message, bytes.subspan(where.at, where.size))) {
    return core::fail(unreadable_message(delimited.message.GetTypeName()));
  }
  return delimited;
}

}  // namespace ydl::hdfs
