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

// What the ResourceManager and NodeManagers tell us, as plain values.
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
  std::string health = {};                         // why it is unhealthy, in the NodeManager's words
  std::string label = {};                          // its partition; empty: the default one
  std::optional<core::Millis> leaves_within = {};  // of one that is decommissioned, if that was said

  [[nodiscard]] Resource free() const { return capability - used; }
};

// Asks with a smaller number are served first; an application's own priority counts the other way round.
struct Priority {
  std::int32_t value = 0;
  auto operator<=>(const Priority&) const = default;
};

// What tells the asks of one role from those of another: the ResourceManager keeps one size for each.
struct AskKey {
  Priority priority;
  std::int64_t allocation_id = 0;
  auto operator<=>(const AskKey&) const = default;
};

struct Container {
  ContainerId id;
  NodeId node;
  std::string node_http_address = {};
  Resource resource = {};  // what was granted: often more than asked, the scheduler rounds up
  AskKey key = {};
  hrpc::Token token = {};  // what the NodeManager wants to see when it is started
};

enum class ContainerState { starting, running, complete };

struct ContainerStatus {
  ContainerId id;
  ContainerState state = ContainerState::starting;
  int exit_status = 0;
  std::string diagnostics = {};
  std::map<std::string, std::string> attributes = {};  // "HOST", "IPS": where a container in an image really is
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
  ApplicationAttemptId attempt = {};  // attempt -1: none yet
  std::string user = {};
  std::string queue = {};
  std::string name = {};
  std::string type = {};
  std::vector<std::string> tags = {};
  AppState state = AppState::starting;
  FinalStatus final_status = FinalStatus::undefined;
  std::string host = {};  // the master's, empty until it has registered
  std::int32_t port = -1;
  std::string tracking_url = {};
  std::string original_tracking_url = {};  // what the master registered, not the proxy's
  std::string diagnostics = {};
  core::WallTime started = {};
  core::WallTime finished = {};  // the epoch until it has
  core::WallTime launched = {};
  float progress = 0;
  int containers = 0;  // 0 where not known
  Resource used = {};
  bool unmanaged = false;
  std::int32_t priority = 0;
  std::optional<core::Seconds> remaining_lifetime = std::nullopt;
  // For calls to the master; on secure clusters, while it runs, for those who may view the application.
  std::optional<hrpc::Token> client_token = std::nullopt;
  std::optional<hrpc::Token> am_rm_token = std::nullopt;  // an unmanaged master's, until it has registered
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

// A queue's part of one partition. Fractions of the whole cluster's partition, 0 to 1.
struct QueueShare {
  float capacity = 0;
  float max_capacity = 0;
  std::optional<float> max_am_share = std::nullopt;     // of the queue, for ApplicationMasters
  std::optional<Resource> max_resource = std::nullopt;  // where the scheduler says it as a size
};

enum class QueueState { stopped, running, draining };

struct QueueInfo {
  std::string name;
  std::string path = {};
  std::string scheduler = {};  // "CapacityScheduler", "FairScheduler"; empty before 3.4
  QueueState state = QueueState::running;
  float capacity = 0;      // of its parent, 0 to 1
  float max_capacity = 0;  // of its parent
  float used_capacity = 0;
  std::vector<std::string> labels = {};  // those it may use; "*" is all of them
  std::string default_label = {};
  std::map<std::string, QueueShare> shares = {};  // by partition, "" is the default one
  std::int64_t running_apps = 0;
  std::int64_t pending_apps = 0;
  std::vector<QueueInfo> children = {};
};

}  // namespace ydl::yarn
