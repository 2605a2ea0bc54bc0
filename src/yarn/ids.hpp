#pragma once

#include "core/result.hpp"

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace ydl::yarn {

// The n-th application of a ResourceManager that was started at `cluster_timestamp`. Written as
// "application_1700000000000_0012", where the number has at least four digits.
struct ApplicationId {
  std::int64_t cluster_timestamp = 0;
  std::int32_t id = 0;

  auto operator<=>(const ApplicationId&) const = default;
  [[nodiscard]] std::string str() const;
  [[nodiscard]] static core::Result<ApplicationId> parse(std::string_view text);
};

// One run of an application's master. Written as "appattempt_1700000000000_0012_000003".
struct ApplicationAttemptId {
  ApplicationId application;
  std::int32_t attempt = 0;

  auto operator<=>(const ApplicationAttemptId&) const = default;
  [[nodiscard]] std::string str() const;
  [[nodiscard]] static core::Result<ApplicationAttemptId> parse(std::string_view text);
};

// A container of an attempt. The upper bits of `id` are the ResourceManager's epoch (the number of its restarts), the
// lower bits the number of the container: "container_1700000000000_0012_03_000005",
// "container_e17_1700000000000_0012_03_000005".
struct ContainerId {
  ApplicationAttemptId attempt;
  std::int64_t id = 0;

  auto operator<=>(const ContainerId&) const = default;
  [[nodiscard]] std::string str() const;
  [[nodiscard]] static core::Result<ContainerId> parse(std::string_view text);
};

// A NodeManager. Written as "host:port".
struct NodeId {
  std::string host;
  std::int32_t port = 0;

  auto operator<=>(const NodeId&) const = default;
  [[nodiscard]] std::string str() const;
};

}  // namespace ydl::yarn
