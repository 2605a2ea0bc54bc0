#pragma once

#include "core/result.hpp"
#include "yarn/records.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

// Checks before submission whether a job can run on a cluster at all. Pure.
//
// The ResourceManager refuses some impossible requests, reduces others and lets the rest wait forever, which is hard
// for users to understand. This check reports them in one sentence: role, request, limit and queue.
namespace ydl::yarn {

// The containers of one role. The master counts as a role with one container.
struct Need {
  std::string role = {};
  int count = 1;
  Resource resource = {};
  std::string label = {};
  std::vector<std::string> hosts = {};  // only on these or on `racks`; both empty: anywhere
  std::vector<std::string> racks = {};
};

// The information about the cluster from the ResourceManager.
struct ClusterView {
  Resource maximum;   // the largest container
  QueueInfo root;     // all queues
  std::string queue;  // the queue of the job, by name or path
  std::vector<NodeReport> nodes;
  std::vector<NodeLabel> labels = {};
  std::vector<ResourceType> types = {};  // empty if unknown
  // Whether vcores limit what fits on a node and into a queue. Clients cannot ask for this. It is certainly true if the
  // cluster has other types than memory and vcores.
  bool counts_vcores = false;
};

// `needs` has the master first, then the roles. Returns notes about problems that are not errors, for example that the
// job may have to wait. Errors: not_found (queue, label, host, rack, resource type), no_capacity.
[[nodiscard]] core::Result<std::vector<std::string>> check_needs(std::span<const Need> needs,
                                                                 const ClusterView& cluster);

// Hadoop before 3.4 does not report the scheduler. Then a queue without shares means the FairScheduler, because the
// CapacityScheduler always reports them.
[[nodiscard]] bool is_of_fair_scheduler(const QueueInfo& queue);

// Finds a queue by its name or path, also by a path without "root."; null if it does not exist.
[[nodiscard]] const QueueInfo* find_queue(const QueueInfo& root, std::string_view name);

}  // namespace ydl::yarn
