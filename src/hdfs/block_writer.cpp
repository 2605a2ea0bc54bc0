#include "hdfs/block_writer.hpp"

#include "core/assert.hpp"
#include "core/strings.hpp"
#include "hdfs/errors.hpp"
#include "net/spawn.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <fmt/format.h>

namespace ydl::hdfs {

namespace pb = hadoop::hdfs;
using WriteOp = pb::OpWriteBlockProto;

namespace {

constexpr std::size_t kBatch = 16;  // packets per write: one megabyte
// While packets are in flight, the deadlines of the connection end every wait. This limit only protects against bugs.
constexpr core::Millis kLongWait = std::chrono::hours(1);

}  // namespace

BlockWriter::BlockWriter(Environment environment, const pb::LocatedBlockProto& block)
    : environment_(std::move(environment)),
      block_(block.b()),
      token_(block.blocktoken()),
      pipeline_(block),
      queue_(block.b().numbytes()),
      work_(environment_.context->executor),
      user_(environment_.context->executor) {}

net::Async<> BlockWriter::open_new() {
  auto opened = co_await set_up(WriteOp::PIPELINE_SETUP_CREATE, 0);
  if (!opened) co_return core::fail(opened.error());
  start_task();
  co_return core::Result<>{};
}

net::Async<> BlockWriter::open_append() {
  appending_ = true;
  visible_ = true;
  auto opened = co_await repair(WriteOp::PIPELINE_SETUP_APPEND);
  if (!opened) co_return core::fail(opened.error());
  start_task();
  co_return core::Result<>{};
}

void BlockWriter::start_task() {
  task_done_ = false;
  net::spawn(environment_.context->executor, "writing a block", run(shared_from_this()));
}

net::awaitable<void> BlockWriter::run(std::shared_ptr<BlockWriter> self) {
  using net::asio::experimental::awaitable_operators::operator&&;
  while (!self->failed_ && !self->abandoned_) {
    co_await (self->send_loop() && self->receive_loop());
    if (self->queue_.finished() || self->abandoned_) break;
    self->queue_.rewind();
    auto repaired = co_await self->repair(self->queue_.ending() ? WriteOp::PIPELINE_CLOSE_RECOVERY
                                                                : WriteOp::PIPELINE_SETUP_STREAMING_RECOVERY);
    if (!repaired) {
      self->failed_ = std::move(repaired).error();
    } else if (self->queue_.ending()) {
      self->queue_.set_finished();
      break;
    }
  }
  self->stream_.reset();
  self->task_done_ = true;
  self->user_.notify();
}

net::awaitable<void> BlockWriter::send_loop() {
  const core::Millis heartbeat = environment_.context->datanodes.options().socket_timeout / 2;
  const core::Millis timeout = environment_.context->datanodes.write_timeout(pipeline_.size());
  std::vector<std::string_view> pieces;
  while (!broken_ && !abandoned_ && !queue_.finished()) {
    const auto batch = queue_.take(kBatch);
    pieces.clear();
    for (const auto& packet : batch) pieces.push_back(packet->bytes());
    if (batch.empty()) {
      if (co_await work_.wait(heartbeat) || broken_ || abandoned_ || queue_.finished()) continue;
    }
    // Nothing was sent for some time. A heartbeat keeps the connection open, because a DataNode closes a silent one.
    const Packet beat = Packet::empty({.seqno = kHeartbeatSeqno});
    if (batch.empty()) pieces.push_back(beat.bytes());
    auto sent = co_await stream_->write(pieces, timeout);
    if (!sent) {
      // The connection is not marked as broken here: the acknowledgements that are still to be read may name the
      // DataNode that failed.
      last_failure_ = std::move(sent).error();
      co_return;
    }
  }
}

net::awaitable<void> BlockWriter::receive_loop() {
  const core::Millis timeout = environment_.context->datanodes.read_timeout(pipeline_.size());
  auto progress = core::steady_now();
  while (!abandoned_ && !queue_.finished()) {
    const auto ack = co_await stream_->read_message<pb::PipelineAckProto>(timeout);
    if (!ack) co_return broken(ack.error(), 0);
    // A DataNode that only acknowledges heartbeats is connected but stores nothing, for example because its disk hangs.
    // So heartbeats do not count as progress while packets are in flight.
    if (queue_.idle() || ack->seqno() != kHeartbeatSeqno) progress = core::steady_now();
    if (core::steady_now() - progress > timeout) {
      co_return broken(error(Errc::datanode_silent, fmt::format("DataNode {} has acknowledged no packet within {}",
                                                                stream_->peer(), core::format_duration(timeout))),
                       0);
    }
    const auto verdict = judge(*ack, pipeline_.size());
    if (!verdict) co_return broken(verdict.error(), 0);
    if (verdict->kind != AckVerdict::Kind::good) {
      restarting_ = verdict->kind == AckVerdict::Kind::restarting;
      co_return broken(error(Errc::datanode_refused,
                             restarting_ ? "the DataNode is restarting" : "the DataNode could not store a packet"),
                       verdict->node);
    }
    if (auto taken = queue_.on_ack(ack->seqno()); !taken) co_return broken(taken.error(), 0);
    if (queue_.idle() || queue_.has_room()) user_.notify();
    // The packet that ends the block is sent when all packets before it are acknowledged.
    work_.notify();
  }
}

void BlockWriter::broken(core::Error why, std::size_t node) {
  broken_ = true;
  bad_ = node;
  last_failure_ = std::move(why);
  stream_->close();
  work_.notify();
}

net::Async<> BlockWriter::push(Packet packet) {
  while (!queue_.has_room() && !task_done_) co_await user_.wait(kLongWait);
  if (failed_) co_return core::fail(*failed_);
  if (task_done_) co_return core::fail(error(Errc::closed, "the block is closed"));
  queue_.push(std::move(packet));
  work_.notify();
  co_return core::Result<>{};
}

net::Async<> BlockWriter::wait_for_acks() {
  while (!queue_.idle() && !task_done_) co_await user_.wait(kLongWait);
  if (failed_) co_return core::fail(*failed_);
  co_return core::Result<>{};
}

net::Async<> BlockWriter::finish() {
  while (!task_done_) co_await user_.wait(kLongWait);
  if (failed_) co_return core::fail(*failed_);
  if (!queue_.finished()) co_return core::fail(error(Errc::closed, "the block was abandoned"));
  co_return core::Result<>{};
}

void BlockWriter::abandon() {
  abandoned_ = true;
  if (stream_) stream_->close();
  work_.notify();
}

NameNode::Block BlockWriter::block() const {
  auto block = block_;
  block.set_numbytes(queue_.acked_bytes());
  return block;
}

}  // namespace ydl::hdfs
