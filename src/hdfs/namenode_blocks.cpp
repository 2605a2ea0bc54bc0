#include "hdfs/listing.hpp"
#include "hdfs/namenode.hpp"
#include "hdfs/namenode_call.hpp"
#include "hdfs/proto/client_namenode.pb.h"
#include "hrpc/errors.hpp"

#include <algorithm>

namespace ydl::hdfs {

namespace pb = hadoop::hdfs;

namespace {

constexpr auto kCreate = at_most_once("create");
constexpr auto kAppend = at_most_once("append");
constexpr auto kAddBlock = idempotent("addBlock");
constexpr auto kAbandonBlock = idempotent("abandonBlock");
constexpr auto kComplete = idempotent("complete");
constexpr auto kFsync = idempotent("fsync");
constexpr auto kUpdateBlockForPipeline = idempotent("updateBlockForPipeline");
constexpr auto kUpdatePipeline = at_most_once("updatePipeline");
constexpr auto kGetAdditionalDatanode = idempotent("getAdditionalDatanode");
constexpr auto kRenewLease = idempotent("renewLease");
constexpr auto kRecoverLease = idempotent("recoverLease");
constexpr auto kGetBlockLocations = idempotent("getBlockLocations");
constexpr auto kReportBadBlocks = idempotent("reportBadBlocks");
constexpr auto kGetDataEncryptionKey = idempotent("getDataEncryptionKey");

constexpr core::Millis kFirstPause{200};
constexpr core::Millis kLongestPause = std::chrono::seconds(5);
constexpr core::Millis kSafeModeLimit = std::chrono::minutes(2);

// A restarted NameNode is in safe mode, that is read-only, until the DataNodes have reported. A client with an open
// file waits for the end of it, so that it loses nothing.
template <class Response, class Request>
net::Async<Response> call_as_writer(hrpc::Client& rpc, hrpc::Method method, const Request& request) {
  core::Millis waited{0};
  for (core::Millis pause = kFirstPause;; pause = std::min(pause * 2, kLongestPause)) {
    auto answer = co_await rpc.call<Response>(method, request);
    if (answer || answer.error().code != hrpc::Errc::safe_mode || waited >= kSafeModeLimit) co_return answer;
    co_await net::pause(pause);
    waited += pause;
  }
}

template <class Field>
void copy(const NameNode::Nodes& nodes, Field* field) {
  for (const auto& node : nodes) *field->Add() = node;
}

}  // namespace

net::Async<FileStatus> NameNode::create(Creation creation) {
  pb::CreateRequestProto request;
  request.set_src(std::move(creation.path));
  request.mutable_masked()->set_perm(creation.mode & ~creation.umask);
  request.mutable_unmasked()->set_perm(creation.mode);
  request.set_clientname(std::move(creation.client));
  // Requests a replicated file even in an erasure-coded directory, because we cannot write stripes. Old NameNodes
  // ignore the flag.
  auto flags = static_cast<std::uint32_t>(pb::CREATE) | static_cast<std::uint32_t>(pb::SHOULD_REPLICATE);
  if (creation.overwrite == Overwrite::yes) flags |= static_cast<std::uint32_t>(pb::OVERWRITE);
  request.set_createflag(flags);
  request.set_createparent(creation.parents == Parents::create);
  request.set_replication(creation.replication);
  request.set_blocksize(creation.block_size);
  const auto answer = co_await rpc_.call<pb::CreateResponseProto>(kCreate, request);
  if (!answer) co_return core::fail(answer.error());
  co_return from_proto(answer->fs());
}

net::Async<NameNode::Appended> NameNode::append(std::string path, std::string client) {
  pb::AppendRequestProto request;
  request.set_src(std::move(path));
  request.set_clientname(std::move(client));
  request.set_flag(pb::APPEND);
  const auto answer = co_await rpc_.call<pb::AppendResponseProto>(kAppend, request);
  if (!answer) co_return core::fail(answer.error());
  Appended appended{.status = from_proto(answer->stat()), .last_block = std::nullopt};
  if (answer->has_block()) appended.last_block = answer->block();
  co_return appended;
}

net::Async<NameNode::LocatedBlock> NameNode::add_block(OpenFile file, std::optional<Block> previous, Nodes exclude) {
  pb::AddBlockRequestProto request;
  request.set_src(std::move(file.path));
  request.set_clientname(std::move(file.client));
  request.set_fileid(file.file_id);
  if (previous) *request.mutable_previous() = std::move(*previous);
  copy(exclude, request.mutable_excludenodes());
  auto answer = co_await call_as_writer<pb::AddBlockResponseProto>(rpc_, kAddBlock, request);
  if (!answer) co_return core::fail(answer.error());
  co_return std::move(*answer->mutable_block());
}

net::Async<> NameNode::abandon_block(OpenFile file, Block block) {
  pb::AbandonBlockRequestProto request;
  *request.mutable_b() = std::move(block);
  request.set_src(std::move(file.path));
  request.set_holder(std::move(file.client));
  request.set_fileid(file.file_id);
  co_return without_value(co_await call_as_writer<pb::AbandonBlockResponseProto>(rpc_, kAbandonBlock, request));
}

net::Async<bool> NameNode::complete(OpenFile file, std::optional<Block> last) {
  pb::CompleteRequestProto request;
  request.set_src(std::move(file.path));
  request.set_clientname(std::move(file.client));
  request.set_fileid(file.file_id);
  if (last) *request.mutable_last() = std::move(*last);
  const auto answer = co_await call_as_writer<pb::CompleteResponseProto>(rpc_, kComplete, request);
  if (!answer) co_return core::fail(answer.error());
  co_return answer->result();
}

net::Async<> NameNode::sync_length(OpenFile file, std::uint64_t last_block_length) {
  pb::FsyncRequestProto request;
  request.set_src(std::move(file.path));
  request.set_client(std::move(file.client));
  request.set_fileid(file.file_id);
  request.set_lastblocklength(static_cast<std::int64_t>(last_block_length));
  co_return without_value(co_await call_as_writer<pb::FsyncResponseProto>(rpc_, kFsync, request));
}

net::Async<NameNode::LocatedBlock> NameNode::new_generation(std::string client, Block block) {
  pb::UpdateBlockForPipelineRequestProto request;
  request.set_clientname(std::move(client));
  *request.mutable_block() = std::move(block);
  auto answer =
      co_await call_as_writer<pb::UpdateBlockForPipelineResponseProto>(rpc_, kUpdateBlockForPipeline, request);
  if (!answer) co_return core::fail(answer.error());
  co_return std::move(*answer->mutable_block());
}

net::Async<> NameNode::update_pipeline(std::string client, Block before, Block now, Pipeline pipeline) {
  pb::UpdatePipelineRequestProto request;
  request.set_clientname(std::move(client));
  *request.mutable_oldblock() = std::move(before);
  *request.mutable_newblock() = std::move(now);
  for (const auto& node : pipeline.nodes) *request.add_newnodes() = node.id();
  for (auto& id : pipeline.storage_ids) request.add_storageids(std::move(id));
  co_return without_value(co_await call_as_writer<pb::UpdatePipelineResponseProto>(rpc_, kUpdatePipeline, request));
}

net::Async<NameNode::LocatedBlock> NameNode::additional_datanode(OpenFile file, Block block, Pipeline existing,
                                                                 Nodes exclude) {
  pb::GetAdditionalDatanodeRequestProto request;
  request.set_src(std::move(file.path));
  request.set_clientname(std::move(file.client));
  request.set_fileid(file.file_id);
  *request.mutable_blk() = std::move(block);
  copy(existing.nodes, request.mutable_existings());
  for (auto& id : existing.storage_ids) request.add_existingstorageuuids(std::move(id));
  copy(exclude, request.mutable_excludes());
  request.set_numadditionalnodes(1);
  auto answer = co_await call_as_writer<pb::GetAdditionalDatanodeResponseProto>(rpc_, kGetAdditionalDatanode, request);
  if (!answer) co_return core::fail(answer.error());
  co_return std::move(*answer->mutable_block());
}

net::Async<bool> NameNode::recover_lease(std::string path, std::string client) {
  pb::RecoverLeaseRequestProto request;
  request.set_src(std::move(path));
  request.set_clientname(std::move(client));
  const auto answer = co_await rpc_.call<pb::RecoverLeaseResponseProto>(kRecoverLease, request);
  if (!answer) co_return core::fail(answer.error());
  co_return answer->result();
}

net::Async<> NameNode::renew_lease(std::string client) {
  pb::RenewLeaseRequestProto request;
  request.set_clientname(std::move(client));
  co_return without_value(co_await rpc_.call<pb::RenewLeaseResponseProto>(kRenewLease, request));
}

net::Async<std::optional<pb::LocatedBlocksProto>> NameNode::block_locations(std::string path, std::uint64_t offset,
                                                                            std::uint64_t length) {
  pb::GetBlockLocationsRequestProto request;
  request.set_src(std::move(path));
  request.set_offset(offset);
  request.set_length(length);
  auto answer = co_await rpc_.call<pb::GetBlockLocationsResponseProto>(kGetBlockLocations, request);
  if (!answer) co_return core::fail(answer.error());
  if (!answer->has_locations()) co_return std::nullopt;
  co_return std::move(*answer->mutable_locations());
}

net::Async<> NameNode::report_bad_block(LocatedBlock block) {
  pb::ReportBadBlocksRequestProto request;
  *request.add_blocks() = std::move(block);
  co_return without_value(co_await rpc_.call<pb::ReportBadBlocksResponseProto>(kReportBadBlocks, request));
}

net::Async<std::optional<pb::DataEncryptionKeyProto>> NameNode::data_encryption_key() {
  auto answer = co_await rpc_.call<pb::GetDataEncryptionKeyResponseProto>(kGetDataEncryptionKey,
                                                                          pb::GetDataEncryptionKeyRequestProto());
  if (!answer) co_return core::fail(answer.error());
  if (!answer->has_dataencryptionkey()) co_return std::nullopt;
  co_return std::move(*answer->mutable_dataencryptionkey());
}

}  // namespace ydl::hdfs
