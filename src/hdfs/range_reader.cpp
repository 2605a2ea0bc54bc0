#include "hdfs/range_reader.hpp"

#include "core/log.hpp"
#include "hdfs/errors.hpp"

#include <fmt/format.h>

namespace ydl::hdfs {
namespace {

constexpr core::Millis kRoundPause = std::chrono::seconds(1);

}  // namespace

net::Async<std::span<const char>> RangeReader::next() {
  while (position_ < end_) {
    if (!reader_) {
      if (auto opened = co_await open_block(); !opened) co_return core::fail(opened.error());
      if (!reader_) continue;
    }
    auto data = co_await reader_->next();
    if (!data) {
      reader_.reset();
      if (auto handled = co_await on_failure(std::move(data).error()); !handled) co_return core::fail(handled.error());
      continue;
    }
    if (data->empty()) {
      reader_.reset();
      continue;
    }
    position_ += data->size();
    rounds_ = 0;
    new_token_ = false;
    co_return *data;
  }
  // The reader of the last block returns its connection when it is read to the end.
  if (reader_) {
    (void)co_await reader_->next();
    reader_.reset();
  }
  co_return std::span<const char>{};
}

// Opens a reader for the block at the current position. Leaves it empty if a DataNode failed and another one must be
// tried.
net::Async<> RangeReader::open_block() {
  auto block = co_await blocks_->at(position_);
  if (!block) co_return core::fail(block.error());
  block_ = std::move(*block);
  const auto node = blocks_->choose(block_);
  if (!node) co_return co_await another_round();
  node_ = *node;
  const std::uint64_t block_end = block_.offset() + block_.b().numbytes();
  auto reader = co_await BlockReader::open(blocks_->context().datanodes, node_,
                                           {.block = block_.b(),
                                            .token = block_.blocktoken(),
                                            .offset = position_ - block_.offset(),
                                            .length = std::min(block_end, end_) - position_,
                                            .client_name = blocks_->context().client_name});
  if (!reader) co_return co_await on_failure(std::move(reader).error());
  reader_.emplace(std::move(*reader));
  co_return core::Result<>{};
}

net::Async<> RangeReader::on_failure(core::Error why) {
  core::log("hdfs: {}: byte {}: {}", blocks_->path(), position_, why.message);
  last_failure_ = std::move(why);
  if (last_failure_.code.category() != hdfs::error_category()) co_return core::fail(last_failure_);
  // An expired token is not the DataNode's fault: try the same DataNode once more with a new token.
  if (last_failure_.code == Errc::access_token && !new_token_) {
    new_token_ = true;
    auto again = co_await blocks_->at_again(position_);
    if (!again) co_return core::fail(again.error());
    co_return core::Result<>{};
  }
  if (last_failure_.code == Errc::checksum_mismatch) co_await report_damage();
  blocks_->avoid(node_);
  co_return core::Result<>{};
}

// All DataNodes of the block have failed. Ask the NameNode again: the block may have moved, or a DataNode may be back.
net::Async<> RangeReader::another_round() {
  const int limit = blocks_->context().options.acquire_block_failures;
  if (++rounds_ > limit) {
    co_return core::fail(error(
        Errc::no_replica, fmt::format("reading {}: block {} cannot be read from any DataNode (after {} attempts): {}",
                                      blocks_->path(), block_.b().blockid(), limit,
                                      block_.locs_size() == 0
                                          ? "the NameNode has no location for it; check that its DataNodes are running"
                                          : last_failure_.message)));
  }
  if (rounds_ > 1) co_await net::pause(kRoundPause * (rounds_ - 1));
  blocks_->clear_failed();
  auto again = co_await blocks_->at_again(position_);
  if (!again) co_return core::fail(again.error());
  co_return core::Result<>{};
}

// Lets the NameNode create a new replica from a good one. A failure to report is ignored, because reading can continue.
net::awaitable<void> RangeReader::report_damage() {
  FileBlocks::LocatedBlock damaged = block_;
  damaged.clear_locs();
  damaged.clear_storageids();
  damaged.clear_storagetypes();
  damaged.clear_iscached();
  for (int i = 0; i < block_.locs_size(); ++i) {
    if (block_.locs(i).id().datanodeuuid() != node_.datanodeuuid()) continue;
    *damaged.add_locs() = block_.locs(i);
    if (i < block_.storageids_size()) damaged.add_storageids(block_.storageids(i));
    if (i < block_.storagetypes_size()) damaged.add_storagetypes(block_.storagetypes(i));
  }
  const auto reported = co_await blocks_->context().namenode.report_bad_block(std::move(damaged));
  if (!reported) core::log("hdfs: cannot report a damaged replica: {}", reported.error().message);
}

}  // namespace ydl::hdfs
