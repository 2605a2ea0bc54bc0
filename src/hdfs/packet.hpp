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

// One packet of a block as it goes over the wire, kept until every DataNode has acknowledged it. Head, checksums and
// data lie one after the other in one buffer: sending it, again too, copies nothing.
class Packet {
 public:
  // Room for `data` bytes of data, none of it filled.
  Packet(const Checksum& checksum, std::uint64_t offset, std::size_t data);

  // Without data: the end of a block, a sync, a heartbeat.
  [[nodiscard]] static Packet empty(const PacketHeader& header);

  // Takes what fits of `data`; the count of bytes taken.
  std::size_t append(std::span<const char> data);

  // Computes the checksums and writes the head; the packet is then as it goes out.
  void seal(std::int64_t seqno, bool sync);

  [[nodiscard]] std::size_t room() const { return capacity_ - header_.data_size; }
  [[nodiscard]] std::span<const char> data() const { return {buffer_.get() + data_at_, header_.data_size}; }
  [[nodiscard]] const PacketHeader& header() const { return header_; }
  // The offset in the block behind the packet's last byte.
  [[nodiscard]] std::uint64_t end() const { return static_cast<std::uint64_t>(header_.offset) + header_.data_size; }
  // The bytes to send; meaningful once sealed.
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

// Cuts what a writer gives into packets, for one block. Pure.
//
// A chunk has one checksum, so a packet begins where a chunk does: after a flush in the middle of a chunk the next
// packet repeats that chunk's first bytes. Only an appended block may begin in the middle of one; its first packet
// then ends with that chunk, and the DataNode mends the checksum.
class Packetizer {
 public:
  struct Format {
    Checksum checksum = {};
    std::size_t packet_bytes = 65536;  // dfs.client-write-packet-size: head, checksums and data
    std::uint64_t block_bytes = 128ULL << 20U;
  };

  // `start`: the bytes that the block has already.
  Packetizer(const Format& format, std::uint64_t start);

  struct Taken {
    std::size_t bytes = 0;
    std::optional<Packet> packet = std::nullopt;
  };
  // Takes bytes up to the end of the current packet, and gives the packet when it is full. Takes none from a full
  // block.
  [[nodiscard]] Taken take(std::span<const char> data);

  // What has been taken and not given yet. With Sync::yes there is always a packet, if need be an empty one.
  [[nodiscard]] std::optional<Packet> flush(Sync sync);

  // The empty packet that ends the block; flush() comes before.
  [[nodiscard]] Packet last();

  [[nodiscard]] std::uint64_t position() const { return position_; }
  [[nodiscard]] bool block_full() const { return position_ == format_.block_bytes; }

 private:
  void start_packet(std::uint64_t offset);

  Format format_;
  std::uint64_t append_start_;
  std::uint64_t position_;  // bytes of the block, those given before included
  std::uint64_t given_;     // position_ at the end of the last packet given
  std::int64_t next_seqno_ = 0;
  std::optional<Packet> current_;
};

}  // namespace ydl::hdfs
