#include "hdfs/pipeline.hpp"

#include "core/assert.hpp"
#include "core/strings.hpp"
#include "hdfs/errors.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ydl::hdfs {

namespace pb = hadoop::hdfs;

namespace {

std::string address(const pb::DatanodeInfoProto& node) {
  return fmt::format("{}:{}", node.id().ipaddr(), node.id().xferport());
}

}  // namespace

std::vector<Pipeline::Member> Pipeline::members_of(const pb::LocatedBlockProto& block) {
  std::vector<Member> members;
  for (int i = 0; i < block.locs_size(); ++i) {
    Member member{.node = block.locs(i), .storage_id = {}};
    if (i < block.storageids_size()) member.storage_id = block.storageids(i);
    // Unknown types are dropped in decoding. Then the lists have different lengths and cannot be matched.
    if (block.storagetypes_size() == block.locs_size()) member.storage_type = block.storagetypes(i);
    members.push_back(std::move(member));
  }
  return members;
}

std::vector<Pipeline::Node> Pipeline::nodes() const {
  std::vector<Node> nodes;
  for (const auto& member : members_) nodes.push_back(member.node);
  return nodes;
}

std::vector<std::string> Pipeline::storage_ids() const {
  std::vector<std::string> ids;
  for (const auto& member : members_) ids.push_back(member.storage_id);
  return ids;
}

std::size_t Pipeline::index_of(const std::string& bad_link) const {
  const auto found = std::ranges::find(members_, bad_link, [](const Member& member) { return address(member.node); });
  return found == members_.end() ? 0 : static_cast<std::size_t>(found - members_.begin());
}

core::Result<> Pipeline::drop(std::size_t bad) {
  YDL_ASSERT(bad < members_.size());
  failed_.push_back(members_[bad].node);
  if (members_.size() == 1) {
    std::vector<std::string> names;
    for (const auto& node : failed_) names.push_back(address(node));
    return core::fail(
        error(Errc::pipeline, fmt::format("all DataNodes of the pipeline failed: {}", core::join(names, ", "))));
  }
  members_.erase(members_.begin() + static_cast<std::ptrdiff_t>(bad));
  return {};
}

core::Result<std::size_t> Pipeline::extend(const pb::LocatedBlockProto& block) {
  auto members = members_of(block);
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto same = [&](const Member& old) {
      return old.node.id().datanodeuuid() == members[i].node.id().datanodeuuid();
    };
    if (std::ranges::any_of(members_, same)) continue;
    members_ = std::move(members);
    return i;
  }
  return core::fail(error(Errc::protocol, "the NameNode was asked for one more DataNode but returned no new one"));
}

void Pipeline::refuse(std::size_t added) {
  YDL_ASSERT(added < members_.size());
  failed_.push_back(members_[added].node);
  members_.erase(members_.begin() + static_cast<std::ptrdiff_t>(added));
}

void Pipeline::fill(pb::OpWriteBlockProto& op) const {
  op.set_pipelinesize(static_cast<std::uint32_t>(members_.size()));
  op.set_storagetype(members_.front().storage_type);
  op.set_storageid(members_.front().storage_id);
  for (std::size_t i = 1; i < members_.size(); ++i) {
    *op.add_targets() = members_[i].node;
    op.add_targetstoragetypes(members_[i].storage_type);
    op.add_targetpinnings(false);
    op.add_targetstorageids(members_[i].storage_id);
  }
}

std::string Pipeline::names() const {
  std::vector<std::string> names;
  for (const auto& member : members_) names.push_back(address(member.node));
  return core::join(names, ", ");
}

bool should_replace(const ReplaceOptions& options, const Survivors& survivors) {
  if (!options.enabled || survivors.left == 0 || survivors.left >= survivors.wanted) return false;
  switch (options.policy) {
    case ReplaceOptions::Policy::never:
      return false;
    case ReplaceOptions::Policy::always:
      return true;
    case ReplaceOptions::Policy::normal:
      break;
  }
  // Hadoop's DEFAULT policy: with at least three replicas, a failed DataNode is replaced if half of them or fewer are
  // left, or if readers may already use the data.
  if (survivors.wanted < 3) return false;
  return survivors.left <= survivors.wanted / 2 || survivors.visible;
}

core::Result<> RecoveryBudget::charge(std::int64_t last_acked_seqno) {
  // A new acknowledgement is progress, so the count starts again.
  if (acked_before_ != last_acked_seqno) count_ = 0;
  acked_before_ = last_acked_seqno;
  if (++count_ <= kLimit) return {};
  return core::fail(
      error(Errc::pipeline,
            fmt::format("the pipeline failed {} times without any packet being acknowledged in between", count_)));
}

}  // namespace ydl::hdfs
