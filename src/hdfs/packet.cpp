#include "hdfs/packet.hpp"

#include "core/assert.hpp"

#include <algorithm>
#include <cstring>

namespace ydl::hdfs {

Packet::Packet(const Checksum& checksum, std::uint64_t offset, std::size_t data)
    : checksum_(checksum),
      header_{.offset = static_cast<std::int64_t>(offset)},
      capacity_(data),
      data_at_(kPacketHeadLimit + checksum.sum_bytes(data)),
      buffer_(std::make_unique_for_overwrite<char[]>(data_at_ + data)) {}

Packet Packet::empty(const PacketHeader& header) {
  Packet packet({}, static_cast<std::uint64_t>(header.offset), 0);
  packet.header_ = header;
  packet.put_head(0);
  return packet;
}

std::size_t Packet::append(std::span<const char> data) {
  const std::size_t taken = std::min(room(), data.size());
  if (taken > 0) std::memcpy(buffer_.get() + data_at_ + header_.data_size, data.data(), taken);
  header_.data_size += static_cast<std::uint32_t>(taken);
  return taken;
}

void Packet::seal(std::int64_t seqno, bool sync) {
  header_.seqno = seqno;
  header_.sync = sync;
  const std::size_t sum_bytes = checksum_.sum_bytes(header_.data_size);
  write_sums(checksum_, data(), {buffer_.get() + data_at_ - sum_bytes, sum_bytes});
  put_head(sum_bytes);
}

void Packet::put_head(std::size_t sum_bytes) {
  const PacketHead head = encode_packet_head(header_, sum_bytes);
  begin_ = data_at_ - sum_bytes - head.size;
  std::memcpy(buffer_.get() + begin_, head.bytes.data(), head.size);
}

Packetizer::Packetizer(const Format& format, std::uint64_t start)
    : format_(format), append_start_(start), position_(start), given_(start) {
  YDL_ASSERT(start <= format.block_bytes);
}

void Packetizer::start_packet(std::uint64_t offset) {
  const std::uint64_t chunk = format_.checksum.chunk;
  const std::uint64_t in_chunk = offset % chunk;
  std::uint64_t data = chunk - in_chunk;
  if (in_chunk == 0) {
    const std::size_t room = std::max(format_.packet_bytes, kPacketHeadLimit) - kPacketHeadLimit;
    data = std::max<std::uint64_t>(1, room / (chunk + 4)) * chunk;
  }
  current_.emplace(format_.checksum, offset, static_cast<std::size_t>(std::min(data, format_.block_bytes - offset)));
}

Packetizer::Taken Packetizer::take(std::span<const char> data) {
  if (block_full() || data.empty()) return {};
  if (!current_) start_packet(position_);
  Taken taken{.bytes = current_->append(data)};
  position_ += taken.bytes;
  if (current_->room() == 0) taken.packet = flush(Sync::no);
  return taken;
}

std::optional<Packet> Packetizer::flush(Sync sync) {
  const bool synced = sync == Sync::yes;
  if (position_ == given_) {
    if (!synced) return std::nullopt;
    return Packet::empty({.offset = static_cast<std::int64_t>(position_), .seqno = next_seqno_++, .sync = true});
  }
  Packet packet = std::move(*current_);
  current_.reset();
  packet.seal(next_seqno_++, synced);
  given_ = position_;
  const std::uint64_t chunk_start = std::max(append_start_, position_ - position_ % format_.checksum.chunk);
  if (chunk_start < position_ && !block_full()) {
    start_packet(chunk_start);
    current_->append(packet.data().last(static_cast<std::size_t>(position_ - chunk_start)));
  }
  return packet;
}

Packet Packetizer::last() {
  YDL_ASSERT(position_ == given_);
  current_.reset();
  return Packet::empty({.offset = static_cast<std::int64_t>(position_), .seqno = next_seqno_++, .last = true});
}

}  // namespace ydl::hdfs
