#include "hrpc/errors.hpp"
#include "hrpc/proto/security.pb.h"
#include "yarn/client_rm.hpp"
#include "yarn/convert.hpp"
#include "yarn/explain.hpp"
#include "yarn/proto/client_service.pb.h"
#include "yarn/stub.hpp"

#include <fmt/format.h>

namespace ydl::yarn {

namespace pb = hadoop::yarn;

namespace {

constexpr auto kGetClusterNodes = client_method("getClusterNodes");
constexpr auto kGetClusterNodeLabels = client_method("getClusterNodeLabels");
constexpr auto kGetResourceTypeInfo = client_method("getResourceTypeInfo");
constexpr auto kGetQueueInfo = client_method("getQueueInfo");
constexpr auto kGetClusterMetrics = client_method("getClusterMetrics");
// safe to repeat: an unused token has no effect
constexpr auto kGetDelegationToken = client_method("getDelegationToken");
constexpr auto kRenewDelegationToken = client_method("renewDelegationToken");
constexpr auto kCancelDelegationToken = client_method("cancelDelegationToken");

}  // namespace

net::Async<std::vector<NodeReport>> ClientRm::nodes(std::vector<NodeState> states) {
  pb::GetClusterNodesRequestProto request;
  for (const auto state : states) request.add_nodestates(to_proto(state));
  const auto answer = co_await rpc_.call<pb::GetClusterNodesResponseProto>(kGetClusterNodes, request);
  if (!answer) co_return core::fail(explain(answer.error(), "listing the cluster's nodes"));
  std::vector<NodeReport> nodes;
  nodes.reserve(static_cast<std::size_t>(answer->nodereports_size()));
  for (const auto& node : answer->nodereports()) nodes.push_back(from_proto(node));
  co_return nodes;
}

net::Async<std::vector<NodeLabel>> ClientRm::node_labels() {
  const auto answer = co_await rpc_.call<pb::GetClusterNodeLabelsResponseProto>(kGetClusterNodeLabels,
                                                                                pb::GetClusterNodeLabelsRequestProto());
  if (!answer) co_return core::fail(explain(answer.error(), "listing the cluster's node labels"));
  std::vector<NodeLabel> labels;
  for (const auto& label : answer->nodelabels()) {
    if (!label.name().empty()) labels.push_back({.name = name_from(label.name()), .exclusive = label.isexclusive()});
  }
  co_return labels;
}

net::Async<std::vector<ResourceType>> ClientRm::resource_types() {
  const auto answer = co_await rpc_.call<pb::GetAllResourceTypeInfoResponseProto>(
      kGetResourceTypeInfo, pb::GetAllResourceTypeInfoRequestProto());
  if (!answer) co_return core::fail(explain(answer.error(), "listing the cluster's resource types"));
  std::vector<ResourceType> types;
  for (const auto& type : answer->resource_type_info())
    types.push_back({.name = name_from(type.name()), .units = name_from(type.units())});
  co_return types;
}

net::Async<QueueInfo> ClientRm::queue(std::string name) {
  const auto doing = fmt::format("requesting queue {}", name);
  pb::GetQueueInfoRequestProto request;
  request.set_queuename(name);
  request.set_includeapplications(false);
  request.set_includechildqueues(true);
  request.set_recursive(true);
  const auto answer = co_await rpc_.call<pb::GetQueueInfoResponseProto>(kGetQueueInfo, request);
  if (!answer) co_return core::fail(explain(answer.error(), doing));
  // For an unknown queue the ResourceManager returns an empty answer, not an exception.
  if (!answer->has_queueinfo() || answer->queueinfo().queuename().empty()) {
    co_return core::fail(hrpc::Errc::not_found, fmt::format("the cluster has no queue {}", name));
  }
  co_return from_proto(answer->queueinfo());
}

net::Async<ClusterMetrics> ClientRm::metrics() {
  const auto answer =
      co_await rpc_.call<pb::GetClusterMetricsResponseProto>(kGetClusterMetrics, pb::GetClusterMetricsRequestProto());
  if (!answer) co_return core::fail(explain(answer.error(), "requesting the number of nodes of the cluster"));
  const auto& metrics = answer->cluster_metrics();
  co_return ClusterMetrics{.nodes = metrics.num_node_managers(),
                           .active = metrics.num_active_nms(),
                           .decommissioned = metrics.num_decommissioned_nms(),
                           .lost = metrics.num_lost_nms(),
                           .unhealthy = metrics.num_unhealthy_nms(),
                           .rebooted = metrics.num_rebooted_nms()};
}

net::Async<hrpc::Token> ClientRm::delegation_token(std::string renewer) {
  hadoop::common::GetDelegationTokenRequestProto request;
  request.set_renewer(std::move(renewer));
  const auto answer = co_await rpc_.call<hadoop::common::GetDelegationTokenResponseProto>(kGetDelegationToken, request);
  if (!answer) co_return core::fail(explain(answer.error(), "requesting a delegation token from the ResourceManager"));
  if (!answer->has_token()) {
    co_return core::fail(hrpc::Errc::corrupt, "the ResourceManager's answer contains no delegation token");
  }
  co_return hrpc::from_proto(answer->token());
}

net::Async<core::WallTime> ClientRm::renew_token(hrpc::Token token) {
  hadoop::common::RenewDelegationTokenRequestProto request;
  *request.mutable_token() = hrpc::to_proto(token);
  const auto answer =
      co_await rpc_.call<hadoop::common::RenewDelegationTokenResponseProto>(kRenewDelegationToken, request);
  if (!answer) co_return core::fail(explain(answer.error(), "renewing the ResourceManager's delegation token"));
  co_return wall_time(static_cast<std::int64_t>(answer->newexpirytime()));
}

net::Async<> ClientRm::cancel_token(hrpc::Token token) {
  hadoop::common::CancelDelegationTokenRequestProto request;
  *request.mutable_token() = hrpc::to_proto(token);
  const auto answer =
      co_await rpc_.call<hadoop::common::CancelDelegationTokenResponseProto>(kCancelDelegationToken, request);
  if (!answer) co_return core::fail(explain(answer.error(), "cancelling the ResourceManager's delegation token"));
  co_return core::Result<>{};
}

}  // namespace ydl::yarn
