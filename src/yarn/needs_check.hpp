#pragma once

#include "core/result.hpp"
#include "yarn/records.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

// Whether a job can run on a cluster at all, before it is submitted. Pure.
//
// The ResourceManager refuses some impossible asks, cuts others down and lets the rest wait for ever; all of that takes
// long to understand. Here they are one sentence: role, what it asks for, what is allowed, which queue.
namespace ydl::yarn {

// One role's containers; the master itself is one of one.
struct Need {
  std::string role = {};
  int count = 1;
  Resource resource = {};
  std::string label = {};
  std::vector<std::string> hosts = {};  // only there, or on `racks`; both empty: anywhere
  std::vector<std::string> racks = {};
};

// What the ResourceManager has said of itself.
struct ClusterView {
  Resource maximum;   // of one container
  QueueInfo root;     // all queues
  std::string queue;  // the job's, by name or path
  std::vector<NodeReport> nodes;
  std::vector<NodeLabel> labels = {};
  std::vector<ResourceType> types = {};  // empty: not known
  // Whether vcores limit how much fits on a node and into a queue. The ResourceManager does not tell clients; it does
  // where it counts types beside memory and vcores.
  bool counts_vcores = false;
};

// `needs` is the master first, then the roles. The answer: what is not refused but should be known (that the job may
// wait). Errors: not_found (queue, label, host, rack, resource type), no_capacity.
[[nodiscard]] core::Result<std::vector<std::string>> check_needs(std::span<const Need> needs,
                                                                 const ClusterView& cluster);

// ResourceManagers before 3.4 do not name their scheduler; the CapacityScheduler gives queues shares of the cluster.
[[nodiscard]] bool is_of_fair_scheduler(const QueueInfo& queue);

// By name or path, without "root." too; nothing where there is none.
[[nodiscard]] const QueueInfo* find_queue(const QueueInfo& root, std::string_view name);

}  // namespace ydl::yarn
