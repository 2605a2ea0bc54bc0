#pragma once

#include "protocol/commands.hpp"
#include "spec/job_spec.hpp"
#include "yarn/image_runtime.hpp"

#include <optional>

// Translates a job's image for the agent or the NodeManager. Pure; the job was checked before (spec/image_rules.hpp).
namespace ydl::master {

// For podman or docker; nothing if a NodeManager runs the image or there is none.
[[nodiscard]] std::optional<protocol::Image> image_for_agent(const spec::JobSpec& job);

// For a NodeManager's Docker runtime; nothing if an agent runs the image.
[[nodiscard]] std::optional<yarn::ImageRuntime> image_for_node_manager(const spec::JobSpec& job);

}  // namespace ydl::master
