#pragma once

#include "hdfs/checksum.hpp"
#include "hdfs/context.hpp"
#include "hdfs/pipeline.hpp"
#include "hdfs/wakeup.hpp"
#include "hdfs/write_queue.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace ydl::hdfs {

// Writes one block to a pipeline of DataNodes.
//
// Life cycle: open_new() or open_append(), then any number of push() and wait_for_acks(), and finally finish() or
// abandon(). A background task sends packets, receives acknowledgements and repairs the pipeline when a DataNode fails:
// the failed one is removed and perhaps replaced, the others continue with a new generation stamp, and unacknowledged
// packets are sent again. Single-threaded; one user at a time.
class BlockWriter : public std::enable_shared_from_this<BlockWriter> {
 public:
  struct Environment {
    std::shared_ptr<Context> context;  // shared: the background task may outlive the file system
    NameNode::OpenFile file;
    Checksum checksum;
    std::uint64_t block_size = 0;
    std::size_t replication = 3;
    ReplaceOptions replace;
  };

  BlockWriter(Environment environment, const hadoop::hdfs::LocatedBlockProto& block);

  // Opens a new block of the NameNode. Errors: those of Datanodes::connect() and datanode_refused; then the next block
  // must exclude bad_node().
  [[nodiscard]] net::Async<> open_new();
  // Opens the last block of a file to continue it. Repairs the pipeline as often as allowed. Errors: pipeline, those of
  // the NameNode.
  [[nodiscard]] net::Async<> open_append();

  // Adds a packet, after waiting for room in the queue. Errors: pipeline, with its cause.
  [[nodiscard]] net::Async<> push(Packet packet);
  // Waits until every DataNode has acknowledged all packets.
  [[nodiscard]] net::Async<> wait_for_acks();
  // Call it after pushing the packet that ends the block. Waits until that packet is acknowledged.
  [[nodiscard]] net::Async<> finish();
  // Stops the background task without ending the block.
  void abandon();

  // Marks the data as visible to readers (flushed). A failed DataNode is then replaced sooner.
  void set_visible() { visible_ = true; }

  // The block with its current generation stamp and the number of acknowledged bytes.
  [[nodiscard]] NameNode::Block block() const;
  [[nodiscard]] const Pipeline::Node& bad_node() const { return pipeline_.members()[bad_].node; }

 private:
  using Stage = hadoop::hdfs::OpWriteBlockProto::BlockConstructionStage;

  static net::awaitable<void> run(std::shared_ptr<BlockWriter> self);
  net::awaitable<void> send_loop();
  net::awaitable<void> receive_loop();
  void start_task();
  void broken(core::Error why, std::size_t node);

  // block_writer_setup.cpp
  [[nodiscard]] net::Async<> set_up(Stage stage, std::uint64_t new_generation);
  [[nodiscard]] net::Async<> repair(Stage stage);
  [[nodiscard]] net::Async<> repair_once(Stage stage);
  [[nodiscard]] net::Async<> drop_bad_node();
  [[nodiscard]] net::Async<> replace_lost_node();
  [[nodiscard]] net::Async<> transfer(Pipeline::Member source, Pipeline::Member target, Datanodes::BlockToken token);
  [[nodiscard]] net::Async<> add_datanode();

  Environment environment_;
  NameNode::Block block_;
  Datanodes::BlockToken token_;
  Pipeline pipeline_;
  WriteQueue queue_;
  RecoveryBudget budget_;
  std::optional<DataStream> stream_;

  bool visible_ = false;
  bool appending_ = false;
  bool abandoned_ = false;
  bool task_done_ = true;
  bool broken_ = false;      // the connection can no longer be used
  bool restarting_ = false;  // the failed DataNode announced a restart
  std::size_t bad_ = 0;
  core::Error last_failure_;
  std::optional<core::Error> failed_;

  Wakeup work_;  // for the sender
  Wakeup user_;  // for push(), wait_for_acks() and finish()
};

}  // namespace ydl::hdfs
