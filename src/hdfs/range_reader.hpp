#pragma once

#include "hdfs/block_reader.hpp"
#include "hdfs/file_blocks.hpp"

#include <cstdint>
#include <optional>
#include <span>

namespace ydl::hdfs {

// Reads a range of a file, block by block, each from the first DataNode that works. If a DataNode fails in the middle,
// another one continues; a damaged replica is reported to the NameNode; expired tokens and moved blocks are requested
// again.
class RangeReader {
 public:
  // `blocks` must outlive the reader. The range must lie inside the file.
  RangeReader(FileBlocks& blocks, std::uint64_t begin, std::uint64_t end)
      : blocks_(&blocks), position_(begin), end_(end) {}

  // The next bytes, valid until the next call; empty at the end. Errors: no_replica (after several rounds, no DataNode
  // could return a block), those of the NameNode.
  [[nodiscard]] net::Async<std::span<const char>> next();

  [[nodiscard]] std::uint64_t position() const { return position_; }

 private:
  [[nodiscard]] net::Async<> open_block();
  [[nodiscard]] net::Async<> on_failure(core::Error why);
  [[nodiscard]] net::Async<> another_round();
  net::awaitable<void> report_damage();

  FileBlocks* blocks_;
  std::uint64_t position_;
  std::uint64_t end_;

  FileBlocks::LocatedBlock block_;
  Datanodes::Node node_;
  std::optional<BlockReader> reader_;
  core::Error last_failure_;
  int rounds_ = 0;          // requests to the NameNode since the last received byte
  bool new_token_ = false;  // requested since the last received byte
};

}  // namespace ydl::hdfs
