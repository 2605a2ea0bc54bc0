// Setup and repair of the pipeline.
#include "core/log.hpp"
#include "hdfs/block_read_fsm.hpp"
#include "hdfs/block_writer.hpp"
#include "hdfs/errors.hpp"

#include <fmt/format.h>

namespace ydl::hdfs {

namespace pb = hadoop::hdfs;
using WriteOp = pb::OpWriteBlockProto;

namespace {

constexpr int kReplacementTries = 3;
// How long to wait for the only DataNode of a pipeline, which has announced its restart.
constexpr core::Millis kRestartPause = std::chrono::seconds(4);

}  // namespace

// Connects to the first DataNode, which connects to the next one, and so on. After a failure, bad_ is the index of the
// DataNode that caused it.
net::Async<> BlockWriter::set_up(Stage stage, std::uint64_t new_generation) {
  bad_ = 0;
  stream_.reset();
  auto& datanodes = environment_.context->datanodes;
  auto stream = co_await datanodes.connect(pipeline_.members().front().node.id(), token_);
  if (!stream) co_return core::fail(stream.error());

  WriteOp op;
  auto& header = *op.mutable_header();
  auto& block = *header.mutable_baseheader()->mutable_block();
  block = block_;
  block.set_numbytes(environment_.block_size);
  *header.mutable_baseheader()->mutable_token() = token_;
  header.set_clientname(environment_.file.client);
  op.set_stage(stage);
  op.set_minbytesrcvd(queue_.acked_bytes());
  op.set_maxbytesrcvd(queue_.sent_bytes());
  op.set_latestgenerationstamp(new_generation);
  *op.mutable_requestedchecksum() = to_proto(environment_.checksum);
  op.mutable_cachingstrategy();
  op.set_allowlazypersist(false);
  op.set_pinning(false);
  pipeline_.fill(op);
  const std::string request = encode_op(Op::write_block, op);
  auto sent = co_await stream->write(request, datanodes.write_timeout(pipeline_.size()));
  if (!sent) co_return core::fail(sent.error());
  const auto answer = co_await stream->read_message<pb::BlockOpResponseProto>(datanodes.read_timeout(pipeline_.size()));
  if (!answer) co_return core::fail(answer.error());
  if (answer->status() != pb::SUCCESS) {
    bad_ = pipeline_.index_of(answer->firstbadlink());
    co_return core::fail(refusal(*answer).within("DataNode " + stream->peer()));
  }
  stream_.emplace(std::move(*stream));
  broken_ = false;
  restarting_ = false;
  co_return core::Result<>{};
}

net::Async<> BlockWriter::repair(Stage stage) {
  // The first attempt of an append is not a repair, because no DataNode has failed yet.
  bool failed_before = stage != WriteOp::PIPELINE_SETUP_APPEND;
  for (;;) {
    if (abandoned_) co_return core::fail(error(Errc::closed, "the file was closed"));
    if (failed_before) {
      core::log("hdfs: block {}: pipeline {} broke at DataNode {}: {}", block_.blockid(), pipeline_.names(), bad_,
                last_failure_.message);
      if (auto charged = budget_.charge(queue_.last_acked_seqno()); !charged) {
        co_return core::fail(std::move(charged).error().within(last_failure_.message));
      }
      if (auto dropped = co_await drop_bad_node(); !dropped) co_return core::fail(dropped.error());
    }
    auto done = co_await repair_once(
        failed_before && stage == WriteOp::PIPELINE_SETUP_APPEND ? WriteOp::PIPELINE_SETUP_APPEND_RECOVERY : stage);
    if (done) co_return core::Result<>{};
    // A refusal of the NameNode is final.
    if (done.error().code.category() != hdfs::error_category()) co_return core::fail(done.error());
    if (done.error().code == Errc::pipeline) co_return core::fail(done.error());
    last_failure_ = std::move(done).error();
    failed_before = true;
  }
}

net::Async<> BlockWriter::drop_bad_node() {
  // A restarting DataNode comes back soon. Waiting for it is only useful if no other DataNode is left.
  if (restarting_ && pipeline_.size() == 1) {
    co_await net::pause(kRestartPause);
    co_return core::Result<>{};
  }
  auto dropped = pipeline_.drop(bad_);
  if (!dropped) co_return core::fail(std::move(dropped).error().within(last_failure_.message));
  co_return core::Result<>{};
}

net::Async<> BlockWriter::repair_once(Stage stage) {
  const Survivors survivors{.wanted = environment_.replication, .left = pipeline_.size(), .visible = visible_};
  if (stage != WriteOp::PIPELINE_CLOSE_RECOVERY && stage != WriteOp::PIPELINE_SETUP_APPEND &&
      should_replace(environment_.replace, survivors)) {
    auto replaced = co_await replace_lost_node();
    if (!replaced && !environment_.replace.best_effort) co_return core::fail(replaced.error());
  }
  auto renewed = co_await environment_.context->namenode.new_generation(environment_.file.client, block());
  if (!renewed) co_return core::fail(renewed.error());
  token_ = renewed->blocktoken();
  const std::uint64_t generation = renewed->b().generationstamp();
  if (auto ready = co_await set_up(stage, generation); !ready) co_return core::fail(ready.error());

  const NameNode::Block before = block();
  NameNode::Block now = before;
  now.set_generationstamp(generation);
  auto updated = co_await environment_.context->namenode.update_pipeline(environment_.file.client, before, now,
                                                                         {pipeline_.nodes(), pipeline_.storage_ids()});
  if (!updated) co_return core::fail(updated.error());
  block_.set_generationstamp(generation);
  co_return core::Result<>{};
}

// Errors: pipeline (no replacement was found).
net::Async<> BlockWriter::replace_lost_node() {
  core::Error why;
  for (int i = 0; i < kReplacementTries; ++i) {
    auto added = co_await add_datanode();
    if (added) co_return core::Result<>{};
    why = std::move(added).error();
    if (why.code.category() != hdfs::error_category()) break;  // the NameNode has no other DataNode
  }
  co_return core::fail(
      error(Errc::pipeline,
            fmt::format("a DataNode was lost, {} left ({}), and no other DataNode can replace it: {} (in a small "
                        "cluster set dfs.client.block.write.replace-datanode-on-failure.policy to NEVER)",
                        pipeline_.size(), pipeline_.names(), why.message)));
}

// Adds one DataNode to the pipeline and copies the block's existing bytes to it.
net::Async<> BlockWriter::add_datanode() {
  auto offer = co_await environment_.context->namenode.additional_datanode(
      environment_.file, block(), {pipeline_.nodes(), pipeline_.storage_ids()}, pipeline_.failed());
  if (!offer) co_return core::fail(offer.error());
  const Pipeline::Member source = pipeline_.members().front();
  const auto added = pipeline_.extend(*offer);
  if (!added) co_return core::fail(added.error());
  auto moved = co_await transfer(source, pipeline_.members()[*added], offer->blocktoken());
  if (!moved) pipeline_.refuse(*added);
  co_return moved;
}

net::Async<> BlockWriter::transfer(Pipeline::Member source, Pipeline::Member target, Datanodes::BlockToken token) {
  auto stream = co_await environment_.context->datanodes.connect(source.node.id(), token);
  if (!stream) co_return core::fail(stream.error());
  pb::OpTransferBlockProto op;
  *op.mutable_header()->mutable_baseheader()->mutable_block() = block();
  *op.mutable_header()->mutable_baseheader()->mutable_token() = token;
  op.mutable_header()->set_clientname(environment_.file.client);
  *op.add_targets() = target.node;
  op.add_targetstoragetypes(target.storage_type);
  op.add_targetstorageids(target.storage_id);
  const std::string request = encode_op(Op::transfer_block, op);
  auto sent = co_await stream->write(request, environment_.context->datanodes.write_timeout(2));
  if (!sent) co_return core::fail(sent.error());
  const auto answer =
      co_await stream->read_message<pb::BlockOpResponseProto>(environment_.context->datanodes.read_timeout(2));
  if (!answer) co_return core::fail(answer.error());
  if (answer->status() != pb::SUCCESS) {
    co_return core::fail(
        refusal(*answer).within(fmt::format("copying the written part of the block from DataNode {}", stream->peer())));
  }
  co_return core::Result<>{};
}

}  // namespace ydl::hdfs
