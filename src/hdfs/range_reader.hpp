#pragma once

#include "hdfs/block_reader.hpp"
#include "hdfs/file_blocks.hpp"

#include <cstdint>
#include <optional>
#include <span>

namespace ydl::hdfs {

// Bytes of a file from one place to another, block after block, each from the first DataNode that can give it: one that
// fails in the middle is left for another, a damaged replica is reported, expired tokens and moved blocks are asked for
// again.
class RangeReader {
 public:
  // `blocks` outlives the reader. The range lies inside the file.
  RangeReader(FileBlocks& blocks, std::uint64_t begin, std::uint64_t end)
      : blocks_(&blocks), position_(begin), end_(end) {}

  // The next bytes, valid until the next call; none at the end.
  // Errors: no_replica (no DataNode can give a block, after several rounds), those of the NameNode.
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
  int rounds_ = 0;          // of asking the NameNode again since the last byte came
  bool new_token_ = false;  // asked for since the last byte came
};

}  // namespace ydl::hdfs
