#include "hdfs/transfer_codec.hpp"

#include "hdfs/errors.hpp"
#include "hdfs/proto/data_transfer.pb.h"
#include "hrpc/frame_codec.hpp"

#include <bit>
#include <cstring>

#include <fmt/format.h>

namespace ydl::hdfs {
namespace {

constexpr std::uint16_t kVersion = 28;

template <class Int>
char* put_big(char* at, Int value) {
  const Int swapped = std::byteswap(value);
  std::memcpy(at, &swapped, sizeof swapped);
  return at + sizeof swapped;
}

template <class Int>
char* put_little(char* at, Int value) {
  std::memcpy(at, &value, sizeof value);
  return at + sizeof value;
}

template <class Int>
Int get_big(const char* at) {
  Int value{};
  std::memcpy(&value, at, sizeof value);
  return std::byteswap(value);
}

std::unexpected<core::Error> bad(std::string what) {
  return core::fail(error(Errc::protocol, std::move(what)));
}

}  // namespace

std::string encode_op(Op op, const google::protobuf::MessageLite& message) {
  std::string out(2, '\0');
  put_big(out.data(), kVersion);
  out.push_back(static_cast<char>(op));
  hrpc::append_delimited(out, message.SerializeAsString());
  return out;
}

std::string encode_delimited(const google::protobuf::MessageLite& message) {
  std::string out;
  hrpc::append_delimited(out, message.SerializeAsString());
  return out;
}

core::Result<std::optional<Extent>> find_delimited(std::span<const char> bytes) {
  std::uint64_t size = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    size |= static_cast<std::uint64_t>(byte & 0x7fU) << (7 * i);
    if (size > kMessageLimit || i > 4)
      return bad(fmt::format("the DataNode announced a message of at least {} bytes, which is above the limit", size));
    if ((byte & 0x80U) != 0) continue;
    if (bytes.size() - (i + 1) < size) return std::nullopt;
    return Extent{i + 1, static_cast<std::size_t>(size)};
  }
  return std::nullopt;
}

// The fields of the header have fixed widths, so it is encoded by hand, without protobuf: tags 09, 11, 18, 25 and 28.
PacketHead encode_packet_head(const PacketHeader& header, std::size_t sum_bytes) {
  PacketHead head;
  const std::uint16_t header_size = header.sync ? 27 : 25;
  char* at = head.bytes.data();
  at = put_big(at, static_cast<std::uint32_t>(4 + sum_bytes + header.data_size));
  at = put_big(at, header_size);
  *at++ = 0x09;
  at = put_little(at, header.offset);
  *at++ = 0x11;
  at = put_little(at, header.seqno);
  *at++ = 0x18;
  *at++ = header.last ? 1 : 0;
  *at++ = 0x25;
  at = put_little(at, header.data_size);
  if (header.sync) {
    *at++ = 0x28;
    *at++ = 1;
  }
  head.size = static_cast<std::size_t>(at - head.bytes.data());
  return head;
}

core::Result<std::optional<PacketOutline>> decode_packet_head(std::span<const char> bytes) {
  if (bytes.size() < kPacketPrefixSize) return std::nullopt;
  const auto packet_size = get_big<std::uint32_t>(bytes.data());
  const auto header_size = get_big<std::uint16_t>(bytes.data() + 4);
  if (packet_size < 4 || std::size_t{packet_size} + header_size > kPacketLimit) {
    return bad(fmt::format("the DataNode announced a packet of {} bytes, which is above the limit", packet_size));
  }
  if (bytes.size() < kPacketPrefixSize + header_size) return std::nullopt;
  hadoop::hdfs::PacketHeaderProto proto;
  if (!parse(proto, bytes.subspan(kPacketPrefixSize, header_size))) {
    return core::fail(unreadable_message(proto.GetTypeName()));
  }
  const std::uint32_t payload = packet_size - 4;
  if (proto.datalen() < 0 || static_cast<std::uint32_t>(proto.datalen()) > payload) {
    return bad(fmt::format("a packet of {} bytes announces {} bytes of data", payload, proto.datalen()));
  }
  const auto data_size = static_cast<std::uint32_t>(proto.datalen());
  return PacketOutline{
      .header = {proto.offsetinblock(), proto.seqno(), proto.lastpacketinblock(), proto.syncblock(), data_size},
      .head_size = kPacketPrefixSize + header_size,
      .sum_bytes = payload - data_size};
}

bool parse(google::protobuf::MessageLite& message, std::span<const char> bytes) {
  return message.ParsePartialFromArray(bytes.data(), static_cast<int>(bytes.size())) && message.IsInitialized();
}

core::Error unreadable_message(std::string_view type) {
  return error(Errc::protocol, fmt::format("the received bytes are not a valid {}", type));
}

}  // namespace ydl::hdfs
