#pragma once

#include "backend/yarn/container_table.hpp"
#include "job/types.hpp"
#include "yarn/image_runtime.hpp"

#include <optional>
#include <string>
#include <vector>

// What the end of a container means for its attempt. Pure.
namespace ydl::backend {

struct ContainerEnd {
  enum class Meaning {
    nothing,       // the attempt was over before
    try_again,     // not the attempt's fault: it gets another container
    cannot_place,  // the next container would end the same way
    exited,        // the attempt has failed by itself
    lost,          // whatever it did, it is gone
  };
  Meaning meaning = Meaning::nothing;
  std::string reason = {};    // one sentence, with the cluster's own words
  job::ExitStatus exit = {};  // of `exited`
  job::Cause cause = job::Cause::none;
  bool is_the_same_everywhere = false;  // of cannot_place: the host is not to blame
};

inline constexpr std::size_t kMostFailedContainers = 3;  // for one attempt

// `node` is the state of its host, where it is known.
[[nodiscard]] ContainerEnd classify_container_end(const AssignedContainer& assigned,
                                                  const yarn::ContainerStatus& status,
                                                  std::optional<yarn::NodeState> node = std::nullopt);

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
