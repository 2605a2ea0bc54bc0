#pragma once

#include "yarn/allocation.hpp"
#include "yarn/proto/applications.pb.h"
#include "yarn/proto/master_service.pb.h"
#include "yarn/proto/records.pb.h"
#include "yarn/records.hpp"

#include <string>
#include <string_view>

// Conversion between protobuf messages and plain structs, for this module only. Conversions cannot fail: protobuf has
// checked the structure, missing fields get defaults, and unknown enum values of a newer Hadoop count as missing.
namespace ydl::yarn {

// Makes a name from the ResourceManager safe for display and comparison: limits its length and removes control
// characters. Names of real clusters are not changed.
[[nodiscard]] std::string name_from(std::string_view text);

[[nodiscard]] core::WallTime wall_time(std::int64_t millis);

[[nodiscard]] ApplicationId from_proto(const hadoop::yarn::ApplicationIdProto& proto);
[[nodiscard]] ApplicationAttemptId from_proto(const hadoop::yarn::ApplicationAttemptIdProto& proto);
[[nodiscard]] ContainerId from_proto(const hadoop::yarn::ContainerIdProto& proto);
[[nodiscard]] NodeId from_proto(const hadoop::yarn::NodeIdProto& proto);
[[nodiscard]] Resource from_proto(const hadoop::yarn::ResourceProto& proto);
[[nodiscard]] NodeReport from_proto(const hadoop::yarn::NodeReportProto& proto);
[[nodiscard]] Container from_proto(const hadoop::yarn::ContainerProto& proto);
[[nodiscard]] ContainerStatus from_proto(const hadoop::yarn::ContainerStatusProto& proto);
[[nodiscard]] AppReport from_proto(const hadoop::yarn::ApplicationReportProto& proto);
[[nodiscard]] QueueInfo from_proto(const hadoop::yarn::QueueInfoProto& proto);
[[nodiscard]] Registration from_proto(const hadoop::yarn::RegisterApplicationMasterResponseProto& proto);
[[nodiscard]] AllocateResponse from_proto(const hadoop::yarn::AllocateResponseProto& proto);

[[nodiscard]] hadoop::yarn::ApplicationIdProto to_proto(const ApplicationId& id);
[[nodiscard]] hadoop::yarn::ApplicationAttemptIdProto to_proto(const ApplicationAttemptId& id);
[[nodiscard]] hadoop::yarn::ContainerIdProto to_proto(const ContainerId& id);
[[nodiscard]] hadoop::yarn::ResourceProto to_proto(const Resource& resource);
[[nodiscard]] hadoop::yarn::AllocateRequestProto to_proto(const AllocateRequest& request);
[[nodiscard]] hadoop::yarn::FinalApplicationStatusProto to_proto(FinalStatus status);
[[nodiscard]] hadoop::yarn::NodeStateProto to_proto(NodeState state);
// Several, because the ResourceManager distinguishes more states than we do.
[[nodiscard]] std::vector<hadoop::yarn::YarnApplicationStateProto> to_proto(AppState state);

}  // namespace ydl::yarn
