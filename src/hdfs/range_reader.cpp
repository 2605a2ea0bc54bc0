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
  // Lets the last block's reader hand its connection back.
  if (reader_) {
    (void)co_await reader_->next();
    reader_.reset();
  }
  co_return std::span<const char>{};
}

// A reader for the block at the position; or none, when a DataNode failed and the next try is due.
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

// Nobody is left: perhaps the block has moved, or a DataNode has come back.
net::Async<> RangeReader::another_round() {
  const int limit = blocks_->context().options.acquire_block_failures;
  if (++rounds_ > limit) {
    co_return core::fail(
        error(Errc::no_replica, fmt::format("reading {}: no DataNode can give block {} (asked {} times): {}",
                                            blocks_->path(), block_.b().blockid(), limit,
                                            block_.locs_size() == 0 ? "the NameNode knows no replica of it; are its "
                                                                      "DataNodes down?"
                                                                    : last_failure_.message)));
  }
  if (rounds_ > 1) co_await net::pause(kRoundPause * (rounds_ - 1));
  blocks_->forgive();
  auto again = co_await blocks_->at_again(position_);
  if (!again) co_return core::fail(again.error());
  co_return core::Result<>{};
}

// So that the NameNode makes a new replica from a good one. That it fails is no reason not to read on.
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
  if (!reported) core::log("hdfs: a damaged replica could not be reported: {}", reported.error().message);
}

}  // namespace ydl::hdfs
