#pragma once

#include "hdfs/block_read_fsm.hpp"
#include "hdfs/data_stream.hpp"
#include "hdfs/datanodes.hpp"
#include "net/asio.hpp"

#include <span>

namespace ydl::hdfs {

// Reads a part of a block from one DataNode: drives BlockReadFsm on a connection.
class BlockReader {
 public:
  // Sends the request, on an idle connection if there is one. Errors: those of Datanodes::connect().
  [[nodiscard]] static net::Async<BlockReader> open(Datanodes& datanodes, Datanodes::Node node, BlockRange range);

  // The next bytes, checked and valid until the next call; empty at the end. Errors: those of BlockReadFsm and
  // datanode_lost, datanode_silent.
  [[nodiscard]] net::Async<std::span<const char>> next();

 private:
  BlockReader(Datanodes& datanodes, Datanodes::Node node, DataStream stream, BlockReadFsm fsm)
      : datanodes_(&datanodes), node_(std::move(node)), stream_(std::move(stream)), fsm_(std::move(fsm)) {}

  Datanodes* datanodes_;
  Datanodes::Node node_;
  DataStream stream_;
  BlockReadFsm fsm_;
  std::size_t used_ = 0;  // bytes of the stream's input to consume at the next call
  bool finished_ = false;
};

}  // namespace ydl::hdfs
