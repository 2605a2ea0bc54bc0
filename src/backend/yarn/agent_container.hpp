#pragma once

#include "backend/backend.hpp"
#include "backend/yarn/yarn_job.hpp"
#include "protocol/commands.hpp"
#include "protocol/reports.hpp"
#include "spec/job_spec.hpp"
#include "yarn/credentials.hpp"
#include "yarn/image_runtime.hpp"
#include "yarn/launch_context.hpp"

#include <optional>

// How an agent is started in a container, and the paths of its task's files there. Pure.
namespace ydl::backend {

// Paths are relative to the container's directory, in which the agent is started.
[[nodiscard]] protocol::Prepare prepare_in_container(const TaskRequest& request, const YarnJob& job);

// For `job::Place::container`: what another master needs to find the container again, which is its id, its node and the
// web page of the node.
[[nodiscard]] std::string container_name(const yarn::Container& container);
// Parses these three members. Errors: corrupt.
[[nodiscard]] core::Result<yarn::Container> parse_container_name(std::string_view text);

// The settings that are the same for all agents.
struct AgentContainers {
  std::map<std::string, yarn::LocalResource> files = {};  // StagedJob::files
  std::optional<yarn::ImageRuntime> image = std::nullopt;
  core::Millis outlives_master = core::Seconds(60);  // how long agents continue while the master does not answer
  // Those of the application, because a NodeManager uses the access list of the first container of an application for
  // all its logs.
  spec::Acl acl = {};
};
// The credentials differ for each agent and are not set here.
[[nodiscard]] yarn::Launch launch_agent(const yarn::ContainerId& id, const AgentContainers& containers);

}  // namespace ydl::backend
