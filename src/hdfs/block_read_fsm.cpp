#include "hdfs/block_read_fsm.hpp"

#include "core/assert.hpp"
#include "core/utf8.hpp"
#include "hdfs/errors.hpp"
#include "hdfs/transfer_codec.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ydl::hdfs {

namespace pb = hadoop::hdfs;

namespace {

constexpr std::size_t kLongestRefusal = 500;

std::unexpected<core::Error> bad(std::string what) {
  return core::fail(error(Errc::protocol, std::move(what)));
}

}  // namespace

core::Error refusal(const pb::BlockOpResponseProto& answer) {
  const auto said = core::shortened(core::escaped(core::shortened(answer.message(), kLongestRefusal)), kLongestRefusal);
  if (answer.status() == pb::ERROR_ACCESS_TOKEN) {
    return error(Errc::access_token, said.empty() ? "the block token was refused" : said);
  }
  return error(Errc::datanode_refused,
               fmt::format("{}{}{}", pb::Status_Name(answer.status()), said.empty() ? "" : ": ", said));
}

BlockReadFsm::BlockReadFsm(BlockRange range) : range_(std::move(range)), position_(range_.offset) {
  YDL_ASSERT(range_.length > 0);
}

std::string BlockReadFsm::start() const {
  pb::OpReadBlockProto op;
  auto& header = *op.mutable_header();
  *header.mutable_baseheader()->mutable_block() = range_.block;
  *header.mutable_baseheader()->mutable_token() = range_.token;
  header.set_clientname(range_.client_name);
  op.set_offset(range_.offset);
  op.set_len(range_.length);
  op.set_sendchecksums(true);
  op.mutable_cachingstrategy();
  return encode_op(Op::read_block, op);
}

core::Result<BlockReadFsm::Action> BlockReadFsm::resume(std::span<const char> bytes) {
  switch (state_) {
    case State::answer:
      return on_answer(bytes);
    case State::packet:
      return on_packet(bytes);
    case State::done:
      break;
  }
  return Action{.kind = ActionKind::finish};
}

core::Result<BlockReadFsm::Action> BlockReadFsm::on_answer(std::span<const char> bytes) {
  const auto decoded = decode_delimited<pb::BlockOpResponseProto>(bytes);
  if (!decoded) return core::fail(decoded.error());
  if (!*decoded) return Action{.kind = ActionKind::read, .need = bytes.size() + 1};
  const auto& answer = (*decoded)->message;
  if (answer.status() != pb::SUCCESS) return core::fail(refusal(answer));
  if (!answer.has_readopchecksuminfo()) return bad("the DataNode's answer does not name the type of its checksums");
  const auto checksum = from_proto(answer.readopchecksuminfo().checksum());
  if (!checksum) return core::fail(checksum.error());
  const std::uint64_t begin = answer.readopchecksuminfo().chunkoffset();
  if (begin > range_.offset || range_.offset - begin >= checksum->chunk || begin % checksum->chunk != 0) {
    return bad(fmt::format("the block was requested from byte {} on, but the DataNode starts at byte {}", range_.offset,
                           begin));
  }
  checksum_ = *checksum;
  stream_position_ = begin;
  state_ = State::packet;
  auto next = on_packet(bytes.subspan((*decoded)->size));
  if (!next) return next;
  next->consumed += (*decoded)->size;
  return next;
}

core::Result<BlockReadFsm::Action> BlockReadFsm::on_packet(std::span<const char> bytes) {
  const auto decoded = decode_packet_head(bytes);
  if (!decoded) return core::fail(decoded.error());
  if (!*decoded) return Action{.kind = ActionKind::read, .need = std::max(bytes.size() + 1, kPacketPrefixSize)};
  const PacketOutline& packet = **decoded;
  if (bytes.size() < packet.size()) return Action{.kind = ActionKind::read, .need = packet.size()};

  const PacketHeader& header = packet.header;
  if (header.seqno != next_seqno_ || static_cast<std::uint64_t>(header.offset) != stream_position_) {
    return bad(fmt::format("packet {} for byte {} arrived instead of packet {} for byte {}", header.seqno,
                           header.offset, next_seqno_, stream_position_));
  }
  if (packet.sum_bytes != checksum_.sum_bytes(header.data_size)) {
    return bad(fmt::format("a packet with {} bytes of data has {} bytes of checksums, which does not match",
                           header.data_size, packet.sum_bytes));
  }
  ++next_seqno_;
  if (header.data_size == 0) return on_last_packet(packet.size());
  const auto data = bytes.subspan(packet.head_size + packet.sum_bytes, header.data_size);
  if (const auto chunk = first_bad_chunk(checksum_, data, bytes.subspan(packet.head_size, packet.sum_bytes))) {
    return core::fail(error(Errc::checksum_mismatch, fmt::format("the checksum of the bytes from offset {} on is wrong",
                                                                 stream_position_ + *chunk * checksum_.chunk)));
  }
  const std::uint64_t packet_end = stream_position_ + data.size();
  const std::uint64_t end = std::min(packet_end, range_.offset + range_.length);
  if (end <= position_) return bad("the DataNode sends more bytes than were requested");
  const auto wanted =
      data.subspan(static_cast<std::size_t>(position_ - stream_position_), static_cast<std::size_t>(end - position_));
  stream_position_ = packet_end;
  position_ = end;
  return Action{.kind = ActionKind::deliver, .data = wanted, .consumed = packet.size()};
}

core::Result<BlockReadFsm::Action> BlockReadFsm::on_last_packet(std::size_t consumed) {
  const std::uint64_t end = range_.offset + range_.length;
  if (position_ < end) {
    return bad(
        fmt::format("the DataNode's replica ends at byte {}, {} bytes short", stream_position_, end - position_));
  }
  state_ = State::done;
  return Action{.kind = ActionKind::finish, .consumed = consumed};
}

std::string BlockReadFsm::finish() const {
  pb::ClientReadStatusProto status;
  status.set_status(checksum_.type == ChecksumType::none ? pb::SUCCESS : pb::CHECKSUM_OK);
  return encode_delimited(status);
}

}  // namespace ydl::hdfs
