#pragma once

#include "core/result.hpp"
#include "hdfs/checksum.hpp"
#include "hdfs/proto/data_transfer.pb.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace ydl::hdfs {

// A part of a block, and what opens it.
struct BlockRange {
  hadoop::hdfs::ExtendedBlockProto block;
  hadoop::common::TokenProto token;
  std::uint64_t offset = 0;  // in the block
  std::uint64_t length = 0;  // at least 1, and inside the block
  std::string client_name;
};

// READ_BLOCK: one part of a block from one DataNode. Pure: bytes in, actions out.
//
//        start()                    resume(bytes)                                     finish()
//   ──> request ──> answer ──> packet ──> packet ... ──> empty last packet ──> status ──> (connection free again)
//
// The DataNode starts at the chunk in which the part begins and ends with the chunk in which it ends; what was not
// asked for is checked like the rest and dropped.
class BlockReadFsm {
 public:
  explicit BlockReadFsm(BlockRange range);

  // What to send first.
  [[nodiscard]] std::string start() const;

  enum class Do {
    read,     // more bytes are needed: `need` in all, those consumed not counted
    deliver,  // `data`, checked; it lies in the bytes given to resume()
    finish,   // all is delivered: send finish(), then the connection is free for another request
  };
  struct Action {
    Do what = Do::read;
    std::size_t need = 0;
    std::span<const char> data = {};
    std::size_t consumed = 0;  // bytes to drop before the next resume(), once the data has been used
  };
  // `bytes`: all that has been received and not been consumed.
  // Errors: access_token, datanode_refused, checksum_mismatch, protocol. The connection is of no use after one.
  [[nodiscard]] core::Result<Action> resume(std::span<const char> bytes);

  [[nodiscard]] std::string finish() const;

  // Where the next byte to deliver lies in the block.
  [[nodiscard]] std::uint64_t position() const { return position_; }

 private:
  enum class State {
    answer,  // the DataNode has not said yet whether it will
    packet,  // data, and in the end an empty packet
    done,
  };

  [[nodiscard]] core::Result<Action> on_answer(std::span<const char> bytes);
  [[nodiscard]] core::Result<Action> on_packet(std::span<const char> bytes);
  [[nodiscard]] core::Result<Action> on_last_packet(std::size_t consumed);

  BlockRange range_;
  State state_ = State::answer;
  Checksum checksum_;
  std::uint64_t position_;
  std::uint64_t stream_position_ = 0;  // where the next packet begins in the block
  std::int64_t next_seqno_ = 0;
};

// What a BlockOpResponse other than success means.
[[nodiscard]] core::Error refusal(const hadoop::hdfs::BlockOpResponseProto& answer);

}  // namespace ydl::hdfs
