#include "yarn/convert.hpp"

#include "core/utf8.hpp"

#include <algorithm>

namespace ydl::yarn {
namespace {

namespace pb = hadoop::yarn;

// More than any cluster has, and small enough that sums do not overflow.
constexpr std::int64_t kMostOfAnything = std::int64_t{1} << 50;

std::int64_t sane(std::int64_t amount) {
  return std::clamp(amount, -kMostOfAnything, kMostOfAnything);
}

NodeState from_proto(pb::NodeStateProto state) {
  switch (state) {
    case pb::NS_NEW:
      return NodeState::starting;
    case pb::NS_RUNNING:
      return NodeState::running;
    case pb::NS_UNHEALTHY:
      return NodeState::unhealthy;
    case pb::NS_DECOMMISSIONED:
      return NodeState::decommissioned;
    case pb::NS_LOST:
      return NodeState::lost;
    case pb::NS_REBOOTED:
      return NodeState::rebooted;
    case pb::NS_DECOMMISSIONING:
      return NodeState::decommissioning;
    case pb::NS_SHUTDOWN:
      return NodeState::shutdown;
  }
  return NodeState::starting;
}

ContainerState from_proto(pb::ContainerStateProto state) {
  switch (state) {
    case pb::C_NEW:
      return ContainerState::starting;
    case pb::C_RUNNING:
      return ContainerState::running;
    case pb::C_COMPLETE:
      return ContainerState::complete;
  }
  return ContainerState::starting;
}

}  // namespace

std::string name_from(std::string_view text) {
  constexpr std::size_t kLongestName = 1024;
  return core::escaped(core::shortened(text, kLongestName));
}

core::WallTime wall_time(std::int64_t millis) {
  // end of the year 2199, which still fits into 64-bit nanoseconds
  constexpr std::int64_t kLastMillis = 7'258'118'399'999;
  return core::WallTime(core::Millis(std::clamp<std::int64_t>(millis, 0, kLastMillis)));
}

ApplicationId from_proto(const pb::ApplicationIdProto& proto) {
  return {.cluster_timestamp = proto.cluster_timestamp(), .id = proto.id()};
}

ApplicationAttemptId from_proto(const pb::ApplicationAttemptIdProto& proto) {
  return {.application = from_proto(proto.application_id()), .attempt = proto.attemptid()};
}

ContainerId from_proto(const pb::ContainerIdProto& proto) {
  return {.attempt = from_proto(proto.app_attempt_id()), .id = proto.id()};
}

NodeId from_proto(const pb::NodeIdProto& proto) {
  return {.host = name_from(proto.host()), .port = proto.port()};
}

// As in Java, fields 1 and 2 (memory and vcores) have priority over the same types in the map.
Resource from_proto(const pb::ResourceProto& proto) {
  Resource resource{.memory_mib = sane(proto.memory()), .vcores = proto.virtual_cores()};
  for (const auto& entry : proto.resource_value_map()) {
    if (entry.key() == kMemory || entry.key() == kVcores) continue;
    resource.others[entry.key()] = sane(in_whole_units(entry.value(), entry.units()).value_or(entry.value()));
  }
  return resource;
}

NodeReport from_proto(const pb::NodeReportProto& proto) {
  const auto leaves_within = static_cast<std::int32_t>(proto.decommissioning_timeout());  // -1 means no timeout
  return {
      .id = from_proto(proto.nodeid()),
      .http_address = name_from(proto.httpaddress()),
      .rack = name_from(proto.rackname()),
      .used = from_proto(proto.used()),
      .capability = from_proto(proto.capability()),
      .containers = proto.numcontainers(),
      .state = from_proto(proto.node_state()),
      .health = name_from(proto.health_report()),
      .label = proto.node_labels_size() > 0 ? name_from(proto.node_labels(0)) : "",
      .leaves_within = leaves_within > 0 ? std::optional<core::Millis>(core::Seconds(leaves_within)) : std::nullopt};
}

Container from_proto(const pb::ContainerProto& proto) {
  return {.id = from_proto(proto.id()),
          .node = from_proto(proto.nodeid()),
          .node_http_address = proto.node_http_address(),
          .resource = from_proto(proto.resource()),
          .key = {.priority = {proto.priority().priority()}, .allocation_id = proto.allocation_request_id()},
          .token = hrpc::from_proto(proto.container_token())};
}

ContainerStatus from_proto(const pb::ContainerStatusProto& proto) {
  ContainerStatus status{.id = from_proto(proto.container_id()),
                         .state = from_proto(proto.state()),
                         .exit_status = proto.exit_status(),
                         .diagnostics = proto.diagnostics()};
  for (const auto& entry : proto.container_attributes()) status.attributes[entry.key()] = entry.value();
  return status;
}

pb::ApplicationIdProto to_proto(const ApplicationId& id) {
  pb::ApplicationIdProto proto;
  proto.set_cluster_timestamp(id.cluster_timestamp);
  proto.set_id(id.id);
  return proto;
}

pb::ApplicationAttemptIdProto to_proto(const ApplicationAttemptId& id) {
  pb::ApplicationAttemptIdProto proto;
  *proto.mutable_application_id() = to_proto(id.application);
  proto.set_attemptid(id.attempt);
  return proto;
}

pb::ContainerIdProto to_proto(const ContainerId& id) {
  pb::ContainerIdProto proto;
  *proto.mutable_app_attempt_id() = to_proto(id.attempt);
  proto.set_id(id.id);
  return proto;
}

pb::ResourceProto to_proto(const Resource& resource) {
  pb::ResourceProto proto;
  proto.set_memory(resource.memory_mib);
  proto.set_virtual_cores(static_cast<std::int32_t>(std::clamp<std::int64_t>(resource.vcores, 0, INT32_MAX)));
  for (const auto& [type, amount] : resource.others) {
    auto& entry = *proto.add_resource_value_map();
    entry.set_key(type);
    entry.set_value(amount);
    entry.set_units("");
    entry.set_type(pb::COUNTABLE);
  }
  return proto;
}

pb::NodeStateProto to_proto(NodeState state) {
  switch (state) {
    case NodeState::starting:
      return pb::NS_NEW;
    case NodeState::running:
      return pb::NS_RUNNING;
    case NodeState::unhealthy:
      return pb::NS_UNHEALTHY;
    case NodeState::decommissioned:
      return pb::NS_DECOMMISSIONED;
    case NodeState::lost:
      return pb::NS_LOST;
    case NodeState::rebooted:
      return pb::NS_REBOOTED;
    case NodeState::decommissioning:
      return pb::NS_DECOMMISSIONING;
    case NodeState::shutdown:
      return pb::NS_SHUTDOWN;
  }
  return pb::NS_NEW;
}

}  // namespace ydl::yarn
