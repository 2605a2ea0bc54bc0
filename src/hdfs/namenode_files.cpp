#include "hdfs/listing.hpp"
#include "hdfs/namenode.hpp"
#include "hdfs/namenode_call.hpp"
#include "hdfs/proto/client_namenode.pb.h"
#include "hdfs/proto/data_transfer.pb.h"
#include "hrpc/proto/security.pb.h"

#include <algorithm>
#include <array>
#include <limits>

namespace ydl::hdfs {

namespace pb = hadoop::hdfs;

namespace {

constexpr auto kGetFileInfo = idempotent("getFileInfo");
constexpr auto kGetListing = idempotent("getListing");
constexpr auto kMkdirs = idempotent("mkdirs");
constexpr auto kRename2 = at_most_once("rename2");
constexpr auto kDelete = at_most_once("delete");
constexpr auto kSetPermission = idempotent("setPermission");
constexpr auto kSetOwner = idempotent("setOwner");
constexpr auto kSetTimes = idempotent("setTimes");
constexpr auto kSetReplication = idempotent("setReplication");
constexpr auto kGetContentSummary = idempotent("getContentSummary");
constexpr auto kGetServerDefaults = idempotent("getServerDefaults");
constexpr auto kGetFsStats = idempotent("getFsStats");
constexpr auto kGetDelegationToken = idempotent("getDelegationToken");
constexpr auto kRenewDelegationToken = idempotent("renewDelegationToken");
constexpr auto kCancelDelegationToken = idempotent("cancelDelegationToken");

constexpr std::uint32_t kLargestPacket = 16U << 20U;  // the limit of DataNodes

core::WallTime wall_time(std::uint64_t millis) {
  return core::WallTime(core::Millis(static_cast<std::int64_t>(millis)));
}

// A quota that is not set is sent as -1 in an unsigned field.
std::optional<std::uint64_t> quota(std::uint64_t value) {
  return value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) ? std::nullopt
                                                                                      : std::optional(value);
}

}  // namespace

std::string policy_name(const pb::ErasureCodingPolicyProto& policy) {
  constexpr auto kNames = std::to_array<std::string_view>(
      {"replication", "RS-6-3-1024k", "RS-3-2-1024k", "RS-LEGACY-6-3-1024k", "XOR-2-1-1024k", "RS-10-4-1024k"});
  if (!policy.name().empty()) return policy.name();
  if (policy.id() < kNames.size()) return std::string(kNames.at(policy.id()));
  return "policy " + std::to_string(policy.id());
}

net::Async<std::optional<FileStatus>> NameNode::file_status(std::string path) {
  pb::GetFileInfoRequestProto request;
  request.set_src(std::move(path));
  const auto answer = co_await rpc_.call<pb::GetFileInfoResponseProto>(kGetFileInfo, request);
  if (!answer) co_return core::fail(answer.error());
  if (!answer->has_fs()) co_return std::nullopt;
  co_return from_proto(answer->fs());
}

net::Async<std::optional<Listing>> NameNode::listing(std::string path, ListingCursor from) {
  if (auto allowed = check_depth(path); !allowed) co_return core::fail(allowed.error());
  pb::GetListingRequestProto request;
  request.set_src(path);
  request.set_startafter(from.after);
  request.set_needlocation(false);
  const auto answer = co_await rpc_.call<pb::GetListingResponseProto>(kGetListing, request);
  if (!answer) co_return core::fail(answer.error());
  if (!answer->has_dirlist()) co_return std::nullopt;
  auto listing = decode_listing(answer->dirlist(), path, from);
  if (!listing) co_return core::fail(listing.error());
  co_return *std::move(listing);
}

net::Async<> NameNode::make_directory(std::string path, std::uint32_t mode, std::uint32_t umask, Parents parents) {
  pb::MkdirsRequestProto request;
  request.set_src(std::move(path));
  request.mutable_masked()->set_perm(mode & ~umask);
  request.mutable_unmasked()->set_perm(mode);
  request.set_createparent(parents == Parents::create);
  co_return without_value(co_await rpc_.call<pb::MkdirsResponseProto>(kMkdirs, request));
}

net::Async<> NameNode::rename(std::string from, std::string to, Overwrite overwrite) {
  pb::Rename2RequestProto request;
  request.set_src(std::move(from));
  request.set_dst(std::move(to));
  request.set_overwritedest(overwrite == Overwrite::yes);
  co_return without_value(co_await rpc_.call<pb::Rename2ResponseProto>(kRename2, request));
}

net::Async<bool> NameNode::remove(std::string path, Recursive recursive) {
  pb::DeleteRequestProto request;
  request.set_src(std::move(path));
  request.set_recursive(recursive == Recursive::yes);
  const auto answer = co_await rpc_.call<pb::DeleteResponseProto>(kDelete, request);
  if (!answer) co_return core::fail(answer.error());
  co_return answer->result();
}

net::Async<> NameNode::set_permission(std::string path, std::uint32_t mode) {
  pb::SetPermissionRequestProto request;
  request.set_src(std::move(path));
  request.mutable_permission()->set_perm(mode);
  co_return without_value(co_await rpc_.call<pb::SetPermissionResponseProto>(kSetPermission, request));
}

net::Async<> NameNode::set_owner(std::string path, std::string owner, std::string group) {
  pb::SetOwnerRequestProto request;
  request.set_src(std::move(path));
  if (!owner.empty()) request.set_username(std::move(owner));
  if (!group.empty()) request.set_groupname(std::move(group));
  co_return without_value(co_await rpc_.call<pb::SetOwnerResponseProto>(kSetOwner, request));
}

net::Async<> NameNode::set_times(std::string path, std::optional<core::WallTime> modified,
                                 std::optional<core::WallTime> accessed) {
  const auto millis = [](const std::optional<core::WallTime>& time) {
    return static_cast<std::uint64_t>(time ? time->time_since_epoch().count() : -1);  // -1: do not change
  };
  pb::SetTimesRequestProto request;
  request.set_src(std::move(path));
  request.set_mtime(millis(modified));
  request.set_atime(millis(accessed));
  co_return without_value(co_await rpc_.call<pb::SetTimesResponseProto>(kSetTimes, request));
}

net::Async<bool> NameNode::set_replication(std::string path, std::uint32_t replication) {
  pb::SetReplicationRequestProto request;
  request.set_src(std::move(path));
  request.set_replication(replication);
  const auto answer = co_await rpc_.call<pb::SetReplicationResponseProto>(kSetReplication, request);
  if (!answer) co_return core::fail(answer.error());
  co_return answer->result();
}

net::Async<ContentSummary> NameNode::content_summary(std::string path) {
  pb::GetContentSummaryRequestProto request;
  request.set_path(std::move(path));
  const auto answer = co_await rpc_.call<pb::GetContentSummaryResponseProto>(kGetContentSummary, request);
  if (!answer) co_return core::fail(answer.error());
  const auto& summary = answer->summary();
  co_return ContentSummary{.length = summary.length(),
                           .files = summary.filecount(),
                           .directories = summary.directorycount(),
                           .space = summary.spaceconsumed(),
                           .quota = quota(summary.quota()),
                           .space_quota = quota(summary.spacequota())};
}

net::Async<ServerDefaults> NameNode::server_defaults() {
  const auto answer =
      co_await rpc_.call<pb::GetServerDefaultsResponseProto>(kGetServerDefaults, pb::GetServerDefaultsRequestProto());
  if (!answer) co_return core::fail(answer.error());
  const auto& said = answer->serverdefaults();
  pb::ChecksumProto sums;
  sums.set_type(said.checksumtype());
  sums.set_bytesperchecksum(said.bytesperchecksum());
  const auto checksum = from_proto(sums);
  if (!checksum) co_return core::fail(checksum.error());
  co_return ServerDefaults{.block_size = said.blocksize(),
                           .packet_bytes = std::min(said.writepacketsize(), kLargestPacket),
                           .replication = said.replication(),
                           .encrypt_transfer = said.encryptdatatransfer(),
                           .trash_interval = std::chrono::minutes(static_cast<std::int64_t>(said.trashinterval())),
                           .checksum = *checksum};
}

net::Async<Space> NameNode::space() {
  const auto answer = co_await rpc_.call<pb::GetFsStatsResponseProto>(kGetFsStats, pb::GetFsStatusRequestProto());
  if (!answer) co_return core::fail(answer.error());
  co_return Space{.capacity = answer->capacity(), .used = answer->used()};
}

net::Async<std::optional<hrpc::Token>> NameNode::delegation_token(std::string renewer) {
  hadoop::common::GetDelegationTokenRequestProto request;
  request.set_renewer(std::move(renewer));
  const auto answer = co_await rpc_.call<hadoop::common::GetDelegationTokenResponseProto>(kGetDelegationToken, request);
  if (!answer) co_return core::fail(answer.error());
  if (!answer->has_token()) co_return std::nullopt;
  co_return hrpc::from_proto(answer->token());
}

net::Async<core::WallTime> NameNode::renew_token(hrpc::Token token) {
  hadoop::common::RenewDelegationTokenRequestProto request;
  *request.mutable_token() = hrpc::to_proto(token);
  const auto answer =
      co_await rpc_.call<hadoop::common::RenewDelegationTokenResponseProto>(kRenewDelegationToken, request);
  if (!answer) co_return core::fail(answer.error());
  co_return wall_time(answer->newexpirytime());
}

net::Async<> NameNode::cancel_token(hrpc::Token token) {
  hadoop::common::CancelDelegationTokenRequestProto request;
  *request.mutable_token() = hrpc::to_proto(token);
  co_return without_value(
      co_await rpc_.call<hadoop::common::CancelDelegationTokenResponseProto>(kCancelDelegationToken, request));
}

}  // namespace ydl::hdfs
