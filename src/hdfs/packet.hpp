#pragma once

#include "hdfs/checksum.hpp"
#include "hdfs/transfer_codec.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace ydl::hdfs {

// One packet of a block in wire format, kept until every DataNode has acknowledged it. Head, checksums and data are in
// one buffer, so that it can be sent, also repeatedly, without a copy.
class Packet {
 public:
  // An empty packet with room for `data` bytes of data.
  Packet(const Checksum& checksum, std::uint64_t offset, std::size_t data);

  // A packet without data: the end of a block, a sync, or a heartbeat.
  [[nodiscard]] static Packet empty(const PacketHeader& header);

  // Appends as much of `data` as fits. Returns the number of bytes.
  std::size_t append(std::span<const char> data);

  // Computes the checksums and writes the head. Afterwards the packet can be sent.
  void seal(std::int64_t seqno, bool sync);

  [[nodiscard]] std::size_t room() const { return capacity_ - header_.data_size; }
  [[nodiscard]] std::span<const char> data() const { return {buffer_.get() + data_at_, header_.data_size}; }
  [[nodiscard]] const PacketHeader& header() const { return header_; }
  // The offset in the block of the end of this packet.
  [[nodiscard]] std::uint64_t end() const { return static_cast<std::uint64_t>(header_.offset) + header_.data_size; }
  // The bytes to send; valid after seal().
  [[nodiscard]] std::string_view bytes() const {
    return {buffer_.get() + begin_, data_at_ + header_.data_size - begin_};
  }

 private:
  void put_head(std::size_t sum_bytes);

  Checksum checksum_;
  PacketHeader header_;
  std::size_t capacity_;
  std::size_t data_at_;
  std::size_t begin_ = 0;
  std::unique_ptr<char[]> buffer_;
};

enum class Sync { no, yes };

// Divides the data of one block into packets. Pure.
//
// A chunk has one checksum, so a packet must start at the beginning of a chunk: after a flush in the middle of a chunk,
// the next packet repeats the first bytes of this chunk. Only an appended block may start in the middle of a chunk. Its
// first packet then ends with this chunk, and the DataNode corrects the checksum.
class Packetizer {
 public:
  struct Format {
    Checksum checksum = {};
    std::size_t packet_bytes = 65536;  // dfs.client-write-packet-size: head, checksums and data
    std::uint64_t block_bytes = 128ULL << 20U;
  };

  // `start`: the number of bytes that the block already has.
  Packetizer(const Format& format, std::uint64_t start);

  struct Taken {
    std::size_t bytes = 0;
    std::optional<Packet> packet = std::nullopt;
  };
  // Takes bytes up to the end of the current packet, and returns the packet if it is full. Takes none if the block is
  // full.
  [[nodiscard]] Taken take(std::span<const char> data);

  // Returns the bytes that were taken since the last packet. With Sync::yes there is always a packet, possibly an empty
  // one.
  [[nodiscard]] std::optional<Packet> flush(Sync sync);

  // The empty packet that ends the block. Call flush() before.
  [[nodiscard]] Packet last();

  [[nodiscard]] std::uint64_t position() const { return position_; }
  [[nodiscard]] bool block_full() const { return position_ == format_.block_bytes; }

 private:
  void start_packet(std::uint64_t offset);

  Format format_;
  std::uint64_t append_start_;
  std::uint64_t position_;  // total bytes of the block, including earlier packets
  std::uint64_t given_;     // position_ at the end of the last returned packet
  std::int64_t next_seqno_ = 0;
  std::optional<Packet> current_;
};

}  // namespace ydl::hdfs
