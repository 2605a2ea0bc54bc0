#pragma once

#include "core/clock.hpp"
#include "hrpc/token.hpp"
#include "yarn/ids.hpp"
#include "yarn/resource.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

// Reports of the ResourceManager and NodeManagers, as plain structs.
namespace ydl::yarn {

enum class NodeState { starting, running, unhealthy, decommissioned, lost, rebooted, decommissioning, shutdown };
[[nodiscard]] std::string_view to_string(NodeState state);

struct NodeReport {
  NodeId id;
  std::string http_address = {};
  std::string rack = {};
  Resource used = {};
  Resource capability = {};
  int containers = 0;
  NodeState state = NodeState::running;
  std::string health = {};                         // the NodeManager's reason why it is unhealthy
  std::string label = {};                          // the partition of the node; empty: the default partition
  std::optional<core::Millis> leaves_within = {};  // time until the node is decommissioned, if it was reported

  [[nodiscard]] Resource free() const { return capability - used; }
};

// Requests with a smaller number are served first. For the priority of an application it is the reverse.
struct Priority {
  std::int32_t value = 0;
  auto operator<=>(const Priority&) const = default;
};

// Distinguishes the requests of different roles: the ResourceManager keeps one container size per key.
struct AskKey {
  Priority priority;
  std::int64_t allocation_id = 0;
  auto operator<=>(const AskKey&) const = default;
};

struct Container {
  ContainerId id;
  NodeId node;
  std::string node_http_address = {};
  Resource resource = {};  // the granted size, often more than requested because the scheduler rounds up
  AskKey key = {};
  hrpc::Token token = {};  // required by the NodeManager to start the container
};

enum class ContainerState { starting, running, complete };

struct ContainerStatus {
  ContainerId id;
  ContainerState state = ContainerState::starting;
  int exit_status = 0;
  std::string diagnostics = {};
  std::map<std::string, std::string> attributes = {};  // "HOST", "IPS": the address of a container with its own network
};

enum class AppState { starting, submitted, accepted, running, finished, failed, killed };
[[nodiscard]] std::string_view to_string(AppState state);
[[nodiscard]] inline bool is_over(AppState state) {
  return state == AppState::finished || state == AppState::failed || state == AppState::killed;
}

enum class FinalStatus { undefined, succeeded, failed, killed };
[[nodiscard]] std::string_view to_string(FinalStatus status);

struct AppReport {
  ApplicationId id;
  ApplicationAttemptId attempt = {};  // attempt -1: no attempt yet
  std::string user = {};
  std::string queue = {};
  std::string name = {};
  std::string type = {};
  std::vector<std::string> tags = {};
  AppState state = AppState::starting;
  FinalStatus final_status = FinalStatus::undefined;
  std::string host = {};  // of the master; empty until it has registered
  std::int32_t port = -1;
  std::string tracking_url = {};
  std::string original_tracking_url = {};  // the URL that the master registered, not that of the proxy
  std::string diagnostics = {};
  core::WallTime started = {};
  core::WallTime finished = {};  // the epoch until the application has finished
  core::WallTime launched = {};
  float progress = 0;
  int containers = 0;  // 0 if unknown
  Resource used = {};
  bool unmanaged = false;
  std::int32_t priority = 0;
  std::optional<core::Seconds> remaining_lifetime = std::nullopt;
  // For calls to the master. Only on secure clusters, while the application runs, and if the caller may view it.
  std::optional<hrpc::Token> client_token = std::nullopt;
  std::optional<hrpc::Token> am_rm_token = std::nullopt;  // only for an unmanaged master, until it has registered
};

struct ClusterMetrics {
  int nodes = 0;
  int active = 0;
  int decommissioned = 0;
  int lost = 0;
  int unhealthy = 0;
  int rebooted = 0;
};

struct NodeLabel {
  std::string name;
  bool exclusive = true;
};

struct ResourceType {
  std::string name;
  std::string units = {};
};

// A queue's share of one partition, as fractions (0 to 1) of the whole partition.
struct QueueShare {
  float capacity = 0;
  float max_capacity = 0;
  std::optional<float> max_am_share = std::nullopt;     // fraction of the queue that ApplicationMasters may use
  std::optional<Resource> max_resource = std::nullopt;  // if the scheduler reports the maximum as a size
};

enum class QueueState { stopped, running, draining };

struct QueueInfo {
  std::string name;
  std::string path = {};
  std::string scheduler = {};  // "CapacityScheduler", "FairScheduler"; empty before 3.4
  QueueState state = QueueState::running;
  float capacity = 0;      // fraction of its parent, 0 to 1
  float max_capacity = 0;  // fraction of its parent
  float used_capacity = 0;
  std::vector<std::string> labels = {};  // the labels that it may use; "*" means all
  std::string default_label = {};
  std::map<std::string, QueueShare> shares = {};  // the key is the partition; "" is the default one
  std::int64_t running_apps = 0;
  std::int64_t pending_apps = 0;
  std::vector<QueueInfo> children = {};
};

}  // namespace ydl::yarn
