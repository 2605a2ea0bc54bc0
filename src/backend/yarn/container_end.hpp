#pragma once

#include "backend/yarn/container_table.hpp"
#include "job/types.hpp"
#include "yarn/image_runtime.hpp"

#include <optional>
#include <string>
#include <vector>

// What the end of a container means for its attempt. Pure.
namespace ydl::backend {

inline constexpr std::size_t kMostFailedContainers = 3;  // for one attempt

// `node` is the state of its host, if it is known.
[[nodiscard]] ContainerEnd classify_container_end(const AssignedContainer& assigned,
                                                  const yarn::ContainerStatus& status,
                                                  std::optional<yarn::NodeState> node = std::nullopt);

// Whether the status comes from the container's NodeManager and so confirms its end. Ends that the ResourceManager
// decides itself (preemption, a lost host, a release) are reported before the container has ended.
[[nodiscard]] bool confirms_end(const yarn::ContainerStatus& status);

// Whether the container's NodeManager may have been lost or restarted. If it then does not list a container, the
// processes of the container may still run.
[[nodiscard]] bool forgets_containers(const yarn::ContainerStatus& status, job::Cause cause);

// Whether a container that failed before its attempt was prepared counts towards kMostFailedContainers. If the cluster
// ended it for its own reasons, the next one may succeed.
[[nodiscard]] bool counts_as_failed(job::Cause cause);

// The meaning for an attempt whose container failed before it was prepared: try_again, or cannot_place after
// kMostFailedContainers of them.
[[nodiscard]] ContainerEnd::Meaning after_failed_container(const AssignedContainer& assigned, job::Cause cause);

// The reason why an attempt cannot be placed, including those of its earlier containers.
[[nodiscard]] std::string with_earlier_failures(std::string reason, const std::vector<std::string>& failures);

// A hint about an image whose agent has never called: ": ..." or empty.
[[nodiscard]] std::string image_hint(const yarn::ImageRuntime& image, int exit_status);

}  // namespace ydl::backend
