#include "hdfs/file_writer.hpp"

#include "hdfs/errors.hpp"
#include "hdfs/explain.hpp"
#include "hrpc/errors.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ydl::hdfs {

namespace pb = hadoop::hdfs;

namespace {

// DataNodes report a finished block to the NameNode within milliseconds, so the first retry is early. Java's client
// waits 400 ms.
constexpr core::Millis kFirstCompleteDelay{4};

}  // namespace

FileWriter::FileWriter(std::shared_ptr<Context> context, std::string path, const FileStatus& status,
                       ServerDefaults defaults)
    : context_(std::move(context)),
      lease_(context_),
      file_{std::move(path), context_->client_name, status.file_id},
      format_{.checksum = {.type = context_->options.checksum_type.value_or(defaults.checksum.type),
                           .chunk = context_->options.chunk_bytes.value_or(defaults.checksum.chunk)},
              .packet_bytes = context_->options.packet_bytes.value_or(defaults.packet_bytes),
              .block_bytes = status.block_size},
      replication_(status.replication),
      length_(status.length) {}

FileWriter::~FileWriter() {
  if (block_ != nullptr) block_->abandon();
}

BlockWriter::Environment FileWriter::environment() const {
  return {.context = context_,
          .file = file_,
          .checksum = format_.checksum,
          .block_size = format_.block_bytes,
          .replication = replication_,
          .replace = context_->options.replace};
}

net::Async<> FileWriter::resume(pb::LocatedBlockProto last_block) {
  const std::uint64_t has = last_block.b().numbytes();
  if (has >= format_.block_bytes) co_return core::Result<>{};
  auto block = std::make_shared<BlockWriter>(environment(), last_block);
  if (auto opened = co_await block->open_append(); !opened) co_return remember(core::fail(opened.error()));
  block_ = std::move(block);
  packetizer_.emplace(format_, has);
  co_return core::Result<>{};
}

core::Result<> FileWriter::usable() const {
  if (failed_) return core::fail(*failed_);
  if (closed_) return core::fail(error(Errc::closed, fmt::format("{} is closed", file_.path)));
  return {};
}

core::Result<> FileWriter::remember(core::Result<> result) {
  if (result) return result;
  failed_ = explain(std::move(result).error(), "writing " + file_.path);
  if (block_ != nullptr) block_->abandon();
  return core::fail(*failed_);
}

net::Async<> FileWriter::write(std::span<const char> data) {
  if (auto good = usable(); !good) co_return core::fail(good.error());
  co_return remember(co_await write_all(data));
}

net::Async<> FileWriter::write_all(std::span<const char> data) {
  while (!data.empty()) {
    if (block_ == nullptr) {
      if (auto started = co_await start_block(); !started) co_return core::fail(started.error());
    }
    auto taken = packetizer_->take(data);
    data = data.subspan(taken.bytes);
    length_ += taken.bytes;
    if (taken.packet) {
      if (auto pushed = co_await block_->push(std::move(*taken.packet)); !pushed) co_return core::fail(pushed.error());
    }
    if (packetizer_->block_full()) {
      if (auto ended = co_await end_block(); !ended) co_return core::fail(ended.error());
    }
  }
  co_return core::Result<>{};
}

net::Async<pb::LocatedBlockProto> FileWriter::add_block() {
  core::Millis delay = context_->options.locate_block_delay;
  for (int tries = context_->options.locate_block_retries;; --tries) {
    auto block = co_await context_->namenode.add_block(file_, previous_, excluded_);
    if (block || tries <= 0 || block.error().code != hrpc::Errc::not_yet_replicated) co_return block;
    co_await net::pause(delay);
    delay *= 2;
  }
}

net::Async<> FileWriter::start_block() {
  core::Error why;
  for (int tries = 0; tries <= context_->options.block_write_retries; ++tries) {
    auto located = co_await add_block();
    if (!located) co_return core::fail(why.code ? located.error().within(why.message) : located.error());
    if (located->locs_size() == 0) {
      co_return core::fail(error(Errc::pipeline, "the NameNode allocated a block without a DataNode"));
    }
    auto block = std::make_shared<BlockWriter>(environment(), *located);
    auto opened = co_await block->open_new();
    if (opened) {
      block_ = std::move(block);
      packetizer_.emplace(format_, 0);
      length_told_ = false;
      co_return core::Result<>{};
    }
    why = std::move(opened).error();
    excluded_.push_back(block->bad_node());
    auto abandoned = co_await context_->namenode.abandon_block(file_, located->b());
    if (!abandoned) co_return core::fail(abandoned.error());
  }
  co_return core::fail(
      error(Errc::pipeline, fmt::format("no pipeline of DataNodes can be set up (after {} attempts): {}",
                                        context_->options.block_write_retries + 1, why.message)));
}

net::Async<> FileWriter::end_block() {
  if (auto rest = packetizer_->flush(Sync::no)) {
    if (auto pushed = co_await block_->push(std::move(*rest)); !pushed) co_return core::fail(pushed.error());
  }
  if (auto pushed = co_await block_->push(packetizer_->last()); !pushed) co_return core::fail(pushed.error());
  if (auto finished = co_await block_->finish(); !finished) co_return core::fail(finished.error());
  previous_ = block_->block();
  block_.reset();
  packetizer_.reset();
  co_return core::Result<>{};
}

net::Async<> FileWriter::flush(Sync sync) {
  if (auto good = usable(); !good) co_return core::fail(good.error());
  if (block_ == nullptr) co_return core::Result<>{};
  co_return remember(co_await flush_block(sync));
}

net::Async<> FileWriter::flush_block(Sync sync) {
  if (auto packet = packetizer_->flush(sync)) {
    if (auto pushed = co_await block_->push(std::move(*packet)); !pushed) co_return core::fail(pushed.error());
  }
  if (auto acked = co_await block_->wait_for_acks(); !acked) co_return core::fail(acked.error());
  block_->set_visible();
  if (length_told_) co_return core::Result<>{};
  auto told = co_await context_->namenode.sync_length(file_, block_->block().numbytes());
  if (!told) co_return core::fail(told.error());
  length_told_ = true;
  co_return core::Result<>{};
}

net::Async<> FileWriter::close() {
  if (closed_ && !failed_) co_return core::Result<>{};
  if (failed_) co_return core::fail(*failed_);
  auto done = co_await close_file();
  closed_ = true;
  co_return remember(std::move(done));
}

net::Async<> FileWriter::close_file() {
  if (block_ != nullptr) {
    if (auto ended = co_await end_block(); !ended) co_return core::fail(ended.error());
  }
  core::Millis delay = kFirstCompleteDelay;
  int tries = context_->options.locate_block_retries;
  for (;;) {
    const auto complete = co_await context_->namenode.complete(file_, previous_);
    if (!complete) co_return core::fail(complete.error());
    if (*complete) co_return core::Result<>{};
    // Short waits do not count as retries; only those that are as long as Java's do.
    if (delay >= context_->options.locate_block_delay && --tries < 0) {
      co_return core::fail(error(Errc::pipeline,
                                 "the file cannot be closed because its last block has too few replicas; check with "
                                 "'hdfs dfsadmin -report' that the DataNodes are alive"));
    }
    co_await net::pause(delay);
    delay *= 2;
  }
}

}  // namespace ydl::hdfs
