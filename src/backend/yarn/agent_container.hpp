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

// How an agent is started in a container, and where its task finds its files there. Pure.
namespace ydl::backend {

// Paths are relative to the container's directory, which the agent is started in.
[[nodiscard]] protocol::Prepare prepare_in_container(const TaskRequest& request, const YarnJob& job);

// job::Place::container: what another master needs to find the container again, its id, its node and the node's page.
[[nodiscard]] std::string container_name(const yarn::Container& container);
// With these three members. Errors: corrupt.
[[nodiscard]] core::Result<yarn::Container> parse_container_name(std::string_view text);

// What is the same for the agents of all containers.
struct AgentContainers {
  std::map<std::string, yarn::LocalResource> files = {};  // StagedJob::files
  std::optional<yarn::ImageRuntime> image = std::nullopt;
  core::Millis outlives_master = core::Seconds(60);  // how long agents go on when the master does not answer
  // The application's: a NodeManager shows logs by those of the first container that it starts for an application.
  spec::Acl acl = {};
};
// Its credentials are the agent's own, and not set here.
[[nodiscard]] yarn::Launch launch_agent(const yarn::ContainerId& id, const AgentContainers& containers);

}  // namespace ydl::backend
