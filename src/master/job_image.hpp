#pragma once

#include "protocol/commands.hpp"
#include "spec/job_spec.hpp"
#include "yarn/image_runtime.hpp"

#include <optional>

// A job's image in the words of who runs it. Pure; the job has been checked (spec/image_rules.hpp).
namespace ydl::master {

// With podman or docker; nothing where it is a NodeManager's to run, or where there is none.
[[nodiscard]] std::optional<protocol::Image> image_for_agent(const spec::JobSpec& job);

// By a NodeManager's Docker runtime; nothing where it is an agent's.
[[nodiscard]] std::optional<yarn::ImageRuntime> image_for_node_manager(const spec::JobSpec& job);

}  // namespace ydl::master
