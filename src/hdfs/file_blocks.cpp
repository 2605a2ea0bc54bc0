#include "hdfs/file_blocks.hpp"

#include "hdfs/errors.hpp"
#include "hdfs/explain.hpp"
#include "hdfs/proto/client_datanode.pb.h"
#include "hrpc/client.hpp"
#include "hrpc/errors.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ydl::hdfs {

namespace pb = hadoop::hdfs;

namespace {

constexpr std::uint64_t kPrefetchBytes = 10 * (128ULL << 20U);  // dfs.client.read.prefetch.size: ten blocks
constexpr hrpc::Method kGetReplicaVisibleLength{"org.apache.hadoop.hdfs.protocol.ClientDatanodeProtocol",
                                                "getReplicaVisibleLength", hrpc::Repeat::idempotent};
constexpr core::Millis kRecoveryPatience = core::Seconds(10);
constexpr core::Millis kRecoveryPause{500};

core::Result<> check_readable(const pb::LocatedBlocksProto& located, const std::string& place) {
  if (located.has_ecpolicy()) {
    return core::fail(error(Errc::unsupported, fmt::format("{}: the file is erasure-coded ({}), which is not "
                                                           "supported: copy it to a directory without such a policy "
                                                           "with 'hdfs dfs -cp'",
                                                           place, policy_name(located.ecpolicy()))));
  }
  if (located.has_fileencryptioninfo()) {
    return core::fail(error(Errc::unsupported,
                            place + ": the file is in an encryption zone, which is not supported: copy it out of the "
                                    "zone with 'hdfs dfs -cp'"));
  }
  return {};
}

}  // namespace

// While a block is recovered for another writer, no DataNode tells its length, and then the block has another name.
net::Async<FileBlocks> FileBlocks::open(std::shared_ptr<Context> context, std::string path) {
  FileBlocks blocks(std::move(context), std::move(path));
  const std::string place = "reading " + blocks.path_;
  for (const auto give_up = core::steady_now() + kRecoveryPatience;;) {
    auto located = co_await blocks.context_->namenode.block_locations(blocks.path_, 0, kPrefetchBytes);
    if (!located) co_return core::fail(explain(std::move(located).error(), place));
    if (!*located) co_return core::fail(hrpc::Errc::not_found, place + ": no such file");
    if (auto readable = check_readable(**located, place); !readable) co_return core::fail(readable.error());
    auto measured = co_await blocks.find_length(**located);
    if (measured) {
      blocks.adopt(std::move(**located));
      co_return blocks;
    }
    if (core::steady_now() >= give_up) co_return core::fail(std::move(measured).error().within(place));
    co_await net::pause(kRecoveryPause);
  }
}

// The NameNode does not know the current length of a block that is being written; its DataNodes do.
net::Async<> FileBlocks::find_length(const pb::LocatedBlocksProto& located) {
  length_ = located.filelength();
  if (located.islastblockcomplete() || !located.has_lastblock() || located.lastblock().locs_size() == 0) {
    co_return core::Result<>{};
  }
  const auto visible = co_await visible_length(located.lastblock());
  if (!visible) co_return core::fail(visible.error());
  length_ = located.lastblock().offset() + *visible;
  co_return core::Result<>{};
}

net::Async<std::uint64_t> FileBlocks::visible_length(const LocatedBlock& block) {
  pb::GetReplicaVisibleLengthRequestProto request;
  *request.mutable_block() = block.b();
  core::Error why = error(Errc::no_replica, "no DataNode has the last block");
  for (const auto& node : block.locs()) {
    hrpc::ClientOptions options = context_->options.namenode;
    const auto& id = node.id();
    options.servers = {{context_->options.transfer.use_hostname ? id.hostname() : id.ipaddr(),
                        static_cast<std::uint16_t>(id.ipcport())}};
    options.identity.server_principal = context_->options.transfer.datanode_principal;
    options.identity.principal_pattern.clear();
    options.identity.principal_key = "dfs.datanode.kerberos.principal";
    // No retries: if this DataNode does not answer, the next one of the block is asked.
    options.retry.max_failovers = 0;
    options.retry.max_retries = 0;
    options.identity.token.reset();
    if (!block.blocktoken().identifier().empty()) options.identity.token = hrpc::from_proto(block.blocktoken());
    hrpc::Client client(context_->executor, std::move(options));
    auto answer = co_await client.call<pb::GetReplicaVisibleLengthResponseProto>(kGetReplicaVisibleLength, request);
    if (answer && static_cast<std::int64_t>(answer->length()) >= 0) co_return answer->length();
    // A restarted DataNode returns -1 for a block whose writer is gone, until the replica is recovered.
    why = answer ? error(Errc::no_replica, "DataNode " + id.hostname() + " is waiting for the recovery of its replica")
                 : std::move(answer).error();
  }
  co_return core::fail(std::move(why).within("cannot find the length of the block that is being written"));
}

net::Async<> FileBlocks::fetch(std::uint64_t offset) {
  auto located = co_await context_->namenode.block_locations(path_, offset, kPrefetchBytes);
  if (!located) co_return core::fail(explain(std::move(located).error(), "reading " + path_));
  if (!*located)
    co_return core::fail(hrpc::Errc::not_found, fmt::format("reading {}: the file no longer exists", path_));
  adopt(std::move(**located));
  co_return core::Result<>{};
}

void FileBlocks::adopt(pb::LocatedBlocksProto located) {
  if (!located.islastblockcomplete() && located.has_lastblock()) {
    auto& open = *located.add_blocks();
    open = located.lastblock();
    const std::uint64_t seen = length_ - std::min(length_, open.offset());
    open.mutable_b()->set_numbytes(std::max(open.b().numbytes(), seen));
  }
  for (auto& block : *located.mutable_blocks()) {
    std::erase_if(blocks_, [&](const LocatedBlock& old) { return old.offset() == block.offset(); });
    blocks_.push_back(std::move(block));
  }
  std::ranges::sort(blocks_, {}, &LocatedBlock::offset);
}

const FileBlocks::LocatedBlock* FileBlocks::find(std::uint64_t offset) const {
  const auto after = std::ranges::upper_bound(blocks_, offset, {}, &LocatedBlock::offset);
  if (after == blocks_.begin()) return nullptr;
  const LocatedBlock& block = *std::prev(after);
  return offset < block.offset() + block.b().numbytes() ? &block : nullptr;
}

net::Async<FileBlocks::LocatedBlock> FileBlocks::at(std::uint64_t offset) {
  if (const auto* block = find(offset)) co_return *block;
  co_return co_await at_again(offset);
}

net::Async<FileBlocks::LocatedBlock> FileBlocks::at_again(std::uint64_t offset) {
  if (auto fetched = co_await fetch(offset); !fetched) co_return core::fail(fetched.error());
  if (const auto* block = find(offset)) co_return *block;
  co_return core::fail(error(
      Errc::no_replica,
      fmt::format("reading {}: there is no block for byte {}; probably the file was truncated while it was being read",
                  path_, offset)));
}

std::optional<Datanodes::Node> FileBlocks::choose(const LocatedBlock& block) const {
  for (const auto& node : block.locs()) {
    if (!failed_.contains(node.id().datanodeuuid())) return node.id();
  }
  return std::nullopt;
}

}  // namespace ydl::hdfs
