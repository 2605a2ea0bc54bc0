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

// `node` is the state of its host, where it is known.
[[nodiscard]] ContainerEnd classify_container_end(const AssignedContainer& assigned,
                                                  const yarn::ContainerStatus& status,
                                                  std::optional<yarn::NodeState> node = std::nullopt);

// Whether the status comes from the container's NodeManager, which has seen its end. What the ResourceManager decides
// by itself (a preemption, a lost host, a release) it tells before the container has ended, or without that.
[[nodiscard]] bool confirms_end(const yarn::ContainerStatus& status);

// Whether the container's NodeManager may have been lost or restarted: that it does not know a container any more then
// says nothing about the container's processes.
[[nodiscard]] bool forgets_containers(const yarn::ContainerStatus& status, job::Cause cause);

// Whether a container that failed before its attempt was prepared is one of the kMostFailedContainers. What the cluster
// does to containers says nothing of the next one.
[[nodiscard]] bool counts_as_failed(job::Cause cause);

// Of an attempt whose container failed before it was prepared: try_again, and cannot_place the third time that counts.
[[nodiscard]] ContainerEnd::Meaning after_failed_container(const AssignedContainer& assigned, job::Cause cause);

// The reason why an attempt cannot be placed, with those of its earlier containers.
[[nodiscard]] std::string with_earlier_failures(std::string reason, const std::vector<std::string>& failures);

// What may be wrong with an image whose agent never called: ": ..." or nothing.
[[nodiscard]] std::string image_hint(const yarn::ImageRuntime& image, int exit_status);

}  // namespace ydl::backend
