#pragma once

#include "core/result.hpp"
#include "hdfs/checksum.hpp"
#include "hdfs/proto/data_transfer.pb.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace ydl::hdfs {

// A part of a block, with the token that permits reading it.
struct BlockRange {
  hadoop::hdfs::ExtendedBlockProto block;
  hadoop::common::TokenProto token;
  std::uint64_t offset = 0;  // relative to the start of the block
  std::uint64_t length = 0;  // at least 1; the range must lie inside the block
  std::string client_name;
};

// READ_BLOCK: reads a part of a block from one DataNode. Pure: bytes in, actions out.
//
//        start()                    resume(bytes)                                     finish()
//   ──> request ──> answer ──> packet ──> packet ... ──> empty last packet ──> status ──> (connection free again)
//
// A DataNode sends whole chunks, because there is one checksum per chunk. The bytes before and after the requested
// range are checked too, and then dropped.
class BlockReadFsm {
 public:
  explicit BlockReadFsm(BlockRange range);

  // The request to send first.
  [[nodiscard]] std::string start() const;

  enum class ActionKind {
    read,     // more bytes are needed: `need` in total, not counting consumed ones
    deliver,  // pass on `data`, which is checked; it points into the bytes given to resume()
    finish,   // everything was delivered: send finish(), then the connection can be reused
  };
  struct Action {
    ActionKind kind = ActionKind::read;
    std::size_t need = 0;
    std::span<const char> data = {};
    std::size_t consumed = 0;  // bytes to drop before the next resume(), after `data` was used
  };
  // `bytes`: everything that was received and not consumed. Errors: access_token, datanode_refused, checksum_mismatch,
  // protocol. The connection must be closed after an error.
  [[nodiscard]] core::Result<Action> resume(std::span<const char> bytes);

  [[nodiscard]] std::string finish() const;

  // The offset in the block of the next byte to deliver.
  [[nodiscard]] std::uint64_t position() const { return position_; }

 private:
  enum class State {
    answer,  // waiting for the DataNode's answer to the request
    packet,  // waiting for packets with data, and at last an empty one
    done,
  };

  [[nodiscard]] core::Result<Action> on_answer(std::span<const char> bytes);
  [[nodiscard]] core::Result<Action> on_packet(std::span<const char> bytes);
  [[nodiscard]] core::Result<Action> on_last_packet(std::size_t consumed);

  BlockRange range_;
  State state_ = State::answer;
  Checksum checksum_;
  std::uint64_t position_;
  std::uint64_t stream_position_ = 0;  // offset in the block of the next packet
  std::int64_t next_seqno_ = 0;
};

// The error for a BlockOpResponse other than success.
[[nodiscard]] core::Error refusal(const hadoop::hdfs::BlockOpResponseProto& answer);

}  // namespace ydl::hdfs
