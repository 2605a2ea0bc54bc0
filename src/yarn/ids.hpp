#pragma once

#include "core/result.hpp"

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace ydl::yarn {

// The n-th application of a ResourceManager that started at `cluster_timestamp`. Written
// "application_1700000000000_0012": four digits at least, more where the number has more.
struct ApplicationId {
  std::int64_t cluster_timestamp = 0;
  std::int32_t id = 0;

  auto operator<=>(const ApplicationId&) const = default;
  [[nodiscard]] std::string str() const;
  [[nodiscard]] static core::Result<ApplicationId> parse(std::string_view text);
};

// One run of an application's master. Written "appattempt_1700000000000_0012_000003".
struct ApplicationAttemptId {
  ApplicationId application;
  std::int32_t attempt = 0;

  auto operator<=>(const ApplicationAttemptId&) const = default;
  [[nodiscard]] std::string str() const;
  [[nodiscard]] static core::Result<ApplicationAttemptId> parse(std::string_view text);
};

// A container of an attempt. `id` holds the ResourceManager's epoch (how often it restarted) in its upper bits, then
// the number: "container_1700000000000_0012_03_000005", "container_e17_1700000000000_0012_03_000005".
struct ContainerId {
  ApplicationAttemptId attempt;
  std::int64_t id = 0;

  auto operator<=>(const ContainerId&) const = default;
  [[nodiscard]] std::string str() const;
  [[nodiscard]] static core::Result<ContainerId> parse(std::string_view text);
};

// A NodeManager. Written "host:port".
struct NodeId {
  std::string host;
  std::int32_t port = 0;

  auto operator<=>(const NodeId&) const = default;
  [[nodiscard]] std::string str() const;
};

}  // namespace ydl::yarn
