#include "yarn/convert.hpp"

#include <algorithm>

namespace ydl::yarn {

namespace pb = hadoop::yarn;

namespace {

template <class Protos>
std::vector<NmToken> tokens_of(const Protos& protos) {
  std::vector<NmToken> tokens;
  for (const auto& proto : protos) tokens.push_back({from_proto(proto.nodeid()), hrpc::from_proto(proto.token())});
  return tokens;
}

template <class Protos>
auto all_of(const Protos& protos) {
  std::vector<decltype(from_proto(*protos.begin()))> values;
  values.reserve(static_cast<std::size_t>(protos.size()));
  for (const auto& proto : protos) values.push_back(from_proto(proto));
  return values;
}

pb::ResourceRequestProto request_of(const LocationAsk& ask) {
  pb::ResourceRequestProto proto;
  proto.mutable_priority()->set_priority(ask.key.priority.value);
  proto.set_resource_name(ask.location);
  *proto.mutable_capability() = ydl::yarn::to_proto(ask.resource);
  proto.set_num_containers(ask.count);
  proto.set_relax_locality(ask.relax_locality);
  if (ask.location == kAnywhere && !ask.label.empty()) proto.set_node_label_expression(ask.label);
  proto.mutable_execution_type_request()->set_execution_type(pb::GUARANTEED);
  // always set, because the default differs between versions of Hadoop
  proto.set_allocation_request_id(ask.key.allocation_id);
  return proto;
}

AllocateResponse::Command command_of(const pb::AllocateResponseProto& proto) {
  if (!proto.has_a_m_command()) return AllocateResponse::Command::none;
  return proto.a_m_command() == pb::AM_RESYNC ? AllocateResponse::Command::resync : AllocateResponse::Command::shutdown;
}

template <class Protos>
std::vector<ContainerId> ids_of(const Protos& preempted) {
  std::vector<ContainerId> ids;
  for (const auto& container : preempted) ids.push_back(from_proto(container.id()));
  return ids;
}

// If the ResourceManager does not send the list of scheduled types, all types count.
bool counts_vcores(const pb::RegisterApplicationMasterResponseProto& proto) {
  const auto& counted = proto.scheduler_resource_types();
  return counted.empty() || std::ranges::find(counted, pb::CPU) != counted.end();
}

}  // namespace

pb::AllocateRequestProto to_proto(const AllocateRequest& request) {
  pb::AllocateRequestProto proto;
  for (const auto& ask : request.asks) *proto.add_ask() = request_of(ask);
  for (const auto& id : request.releases) *proto.add_release() = to_proto(id);
  for (const auto& host : request.avoid) proto.mutable_blacklist_request()->add_blacklist_additions(host);
  for (const auto& host : request.forgive) proto.mutable_blacklist_request()->add_blacklist_removals(host);
  proto.set_response_id(request.response_id);
  proto.set_progress(request.progress);
  return proto;
}

AllocateResponse from_proto(const pb::AllocateResponseProto& proto) {
  AllocateResponse response{.command = command_of(proto),
                            .response_id = proto.response_id(),
                            .granted = all_of(proto.allocated_containers()),
                            .completed = all_of(proto.completed_container_statuses()),
                            .from_previous_attempts = all_of(proto.containers_from_previous_attempts()),
                            .nm_tokens = tokens_of(proto.nm_tokens()),
                            .changed_nodes = all_of(proto.updated_nodes()),
                            .will_be_preempted = ids_of(proto.preempt().strictcontract().container()),
                            .may_be_preempted = ids_of(proto.preempt().contract().container()),
                            .headroom = from_proto(proto.limit()),
                            .cluster_nodes = proto.num_cluster_nodes()};
  if (proto.has_am_rm_token()) response.am_rm_token = hrpc::from_proto(proto.am_rm_token());
  return response;
}

Registration from_proto(const pb::RegisterApplicationMasterResponseProto& proto) {
  Registration registration{.maximum = from_proto(proto.maximumcapability()),
                            .queue = proto.queue(),
                            .counts_vcores = counts_vcores(proto),
                            .from_previous_attempts = all_of(proto.containers_from_previous_attempts()),
                            .nm_tokens = tokens_of(proto.nm_tokens_from_previous_attempts())};
  for (const auto& type : proto.resource_types()) {
    registration.resource_types.push_back({.name = type.name(), .units = type.units()});
  }
  for (const auto& entry : proto.application_acls()) {
    (entry.accesstype() == pb::APPACCESS_VIEW_APP ? registration.viewers : registration.modifiers) = entry.acl();
  }
  registration.client_token_key = proto.client_to_am_token_master_key();
  return registration;
}

}  // namespace ydl::yarn
