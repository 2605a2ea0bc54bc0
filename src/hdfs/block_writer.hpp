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

// One block being written to a pipeline of DataNodes.
//
// Life: open_new() or open_append(), then push(), wait_for_acks() as often as wanted, and finish(); or abandon(). A
// task of its own sends packets, takes acknowledgements and repairs the pipeline when a DataNode fails: the bad one is
// dropped, perhaps replaced, the others continue with a new generation stamp, and what was not acknowledged is sent
// again. All of it on one thread; one user at a time.
class BlockWriter : public std::enable_shared_from_this<BlockWriter> {
 public:
  struct Environment {
    std::shared_ptr<Context> context;  // owned: the task of a block may outlive its file system
    NameNode::OpenFile file;
    Checksum checksum;
    std::uint64_t block_size = 0;
    std::size_t replication = 3;
    ReplaceOptions replace;
  };

  BlockWriter(Environment environment, const hadoop::hdfs::LocatedBlockProto& block);

  // A block the NameNode has just given. Errors: those of Datanodes::connect() and datanode_refused; bad_node() is then
  // to be avoided.
  [[nodiscard]] net::Async<> open_new();
  // The last block of a file, to be continued. Repairs the pipeline as often as allowed. Errors: pipeline, NameNode's.
  [[nodiscard]] net::Async<> open_append();

  // Returns when there is room for the next one. Errors: pipeline and what broke it.
  [[nodiscard]] net::Async<> push(Packet packet);
  // Until every DataNode has all that was pushed.
  [[nodiscard]] net::Async<> wait_for_acks();
  // After the packet that ends the block: until it is acknowledged.
  [[nodiscard]] net::Async<> finish();
  // Ends the task; the block stays as it is.
  void abandon();

  // Readers can see it now: a DataNode that fails is replaced sooner.
  void set_visible() { visible_ = true; }

  // With its current generation stamp and the bytes that are safe.
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
  bool broken_ = false;      // the connection is of no use any more
  bool restarting_ = false;  // the bad node said that it restarts
  std::size_t bad_ = 0;
  core::Error last_failure_;
  std::optional<core::Error> failed_;

  Wakeup work_;  // for the sender
  Wakeup user_;  // for push(), wait_for_acks() and finish()
};

}  // namespace ydl::hdfs
