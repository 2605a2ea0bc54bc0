#include "yarn/needs_check.hpp"

#include "core/strings.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

namespace ydl::yarn {
namespace {

using core::Errc;

template <class Range, class Value, class Projection = std::identity>
bool contains(const Range& range, const Value& value, Projection projection = {}) {
  return std::ranges::find(range, value, projection) != std::ranges::end(range);
}

std::string partition_name(const std::string& label) {
  return label.empty() ? "nodes without a label" : fmt::format("nodes labelled {}", label);
}

bool runs_in(const NodeReport& node, const std::string& label) {
  return node.state == NodeState::running && node.label == label;
}

std::string names_of(const std::vector<std::string>& names) {
  return names.empty() ? "none" : core::join(names, ", ");
}

// The FairScheduler can create a queue when a job names it; the CapacityScheduler can do so below queues with this
// setting. Clients cannot see these settings, so an unknown queue may be valid. If it is not, the ResourceManager
// refuses the application.
bool may_be_made(const ClusterView& cluster) {
  if (is_of_fair_scheduler(cluster.root)) return true;
  const auto dot = cluster.queue.rfind('.');
  return dot != std::string::npos &&
         find_queue(cluster.root, std::string_view(cluster.queue).substr(0, dot)) != nullptr;
}

core::Error no_such_queue(const ClusterView& cluster) {
  std::vector<std::string> leaves;
  const auto collect = [&](const auto& self, const QueueInfo& at) -> void {
    if (at.children.empty()) leaves.push_back(at.name);
    for (const auto& child : at.children) self(self, child);
  };
  collect(collect, cluster.root);
  const std::vector<std::string_view> candidates(leaves.begin(), leaves.end());
  return {Errc::not_found, fmt::format("the cluster has no queue {} (it has {}){}", cluster.queue, names_of(leaves),
                                       core::did_you_mean(cluster.queue, candidates))};
}

core::Result<> check_queue(const QueueInfo& queue) {
  if (!queue.children.empty()) {
    return core::fail(
        Errc::not_found,
        fmt::format("queue {} contains other queues and accepts no jobs itself: choose one of its child queues",
                    queue.name));
  }
  if (queue.state != QueueState::running) {
    return core::fail(Errc::no_capacity, fmt::format("queue {} is stopped: choose another one", queue.name));
  }
  return {};
}

core::Result<> check_types(const Need& need, const ClusterView& cluster) {
  if (cluster.types.empty()) return {};
  for (const auto& [type, amount] : need.resource.others) {
    if (amount == 0 || contains(cluster.types, type, &ResourceType::name)) continue;
    return core::fail(Errc::not_found, fmt::format("{} asks for {} {}, but this cluster does not have this resource "
                                                   "type: ask the administrator to configure it",
                                                   need.role, amount, type));
  }
  return {};
}

core::Result<> check_label(const Need& need, const QueueInfo& queue, const ClusterView& cluster) {
  if (need.label.empty()) return {};
  if (!contains(cluster.labels, need.label, &NodeLabel::name)) {
    std::vector<std::string> names;
    for (const auto& label : cluster.labels) names.push_back(label.name);
    return core::fail(Errc::not_found, fmt::format("{} asks for nodes labelled {}, but the cluster has no such label "
                                                   "(it has: {})",
                                                   need.role, need.label, names_of(names)));
  }
  if (!contains(queue.labels, need.label) && !contains(queue.labels, "*")) {
    return core::fail(Errc::no_capacity,
                      fmt::format("{} asks for nodes labelled {}, which queue {} may not use (it may use: {})",
                                  need.role, need.label, queue.name, names_of(queue.labels)));
  }
  return {};
}

core::Result<> check_maximum(const Need& need, const QueueInfo& queue, const ClusterView& cluster) {
  const auto type = what_does_not_fit(need.resource, cluster.maximum);
  if (!type) return {};
  return core::fail(Errc::no_capacity,
                    fmt::format("{} asks for {} in one container, but the cluster allows {} (queue {})", need.role,
                                amount_of(need.resource, *type), amount_of(cluster.maximum, *type), queue.name));
}

std::set<std::string> hosts_of(const ClusterView& cluster) {
  std::set<std::string> hosts;
  for (const auto& node : cluster.nodes) hosts.insert(node.id.host);
  return hosts;
}

std::set<std::string> racks_of(const ClusterView& cluster) {
  std::set<std::string> racks;
  for (const auto& node : cluster.nodes) racks.insert(node.rack);
  return racks;
}

// " (there are a, b, c); did you mean 'b'?"
std::string choice_of(const std::string& name, const std::set<std::string>& names) {
  constexpr std::size_t kShown = 20;
  const std::vector<std::string_view> all(names.begin(), names.end());
  const auto shown = std::min(all.size(), kShown);
  return fmt::format(
      " (there are {}{}){}", fmt::join(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
      shown < all.size() ? fmt::format(" and {} more", all.size() - shown) : "", core::did_you_mean(name, all));
}

core::Result<> check_racks(const Need& need, const ClusterView& cluster) {
  const auto racks = racks_of(cluster);
  for (const auto& rack : need.racks) {
    if (racks.contains(rack)) continue;
    return core::fail(Errc::not_found, fmt::format("{} asks for rack {}, which has no hosts{}", need.role, rack,
                                                   choice_of(rack, racks)));
  }
  return {};
}

bool may_go_to(const Need& need, const NodeReport& node) {
  if (need.hosts.empty() && need.racks.empty()) return true;
  return contains(need.hosts, node.id.host) || contains(need.racks, node.rack);
}

core::Result<> check_hosts(const Need& need, const ClusterView& cluster) {
  for (const auto& host : need.hosts) {
    const auto node = std::ranges::find_if(cluster.nodes, [&](const NodeReport& at) { return at.id.host == host; });
    if (node == cluster.nodes.end()) {
      return core::fail(Errc::not_found, fmt::format("{} asks for host {}, which has no NodeManager{}", need.role, host,
                                                     choice_of(host, hosts_of(cluster))));
    }
    if (node->state != NodeState::running) {
      return core::fail(
          Errc::no_capacity,
          fmt::format("{} asks for host {}, whose NodeManager is {}{}", need.role, host, to_string(node->state),
                      node->health.empty() ? "" : ": " + core::printable(node->health)));
    }
    if (node->label != need.label) {
      return core::fail(Errc::no_capacity,
                        fmt::format("{} asks for host {} among {}, but it is one of the {}", need.role, host,
                                    partition_name(need.label), partition_name(node->label)));
    }
  }
  return {};
}

// The part of a size that limits the number of containers.
Resource limiting(Resource resource, const ClusterView& cluster) {
  if (!cluster.counts_vcores && cluster.types.size() <= 2) resource.vcores = 0;
  return resource;
}

// Checks that the containers would fit if all nodes were empty.
core::Result<> check_nodes(const Need& need, const QueueInfo& queue, const ClusterView& cluster) {
  std::int64_t fitting = 0;
  int nodes = 0;
  for (const auto& node : cluster.nodes) {
    if (!runs_in(node, need.label)) continue;
    if (!may_go_to(need, node)) continue;
    ++nodes;
    fitting += times_it_fits(limiting(need.resource, cluster), node.capability, need.count);
  }
  if (nodes == 0) {
    return core::fail(Errc::no_capacity, fmt::format("{} has nowhere to run: there are no running {} (queue {})",
                                                     need.role, partition_name(need.label), queue.name));
  }
  if (fitting >= need.count) return {};
  return core::fail(Errc::no_capacity,
                    fmt::format("{} asks for {} of {} each, but only {} would fit on the {} running {} if they were "
                                "empty (queue {})",
                                need.role, core::plural(need.count, "container"), to_string(need.resource), fitting,
                                nodes, partition_name(need.label), queue.name));
}

// The maximum that the queue can get of a partition; nothing if the scheduler does not report it.
std::optional<Resource> most_of_queue(const QueueInfo& queue, const std::string& label, const ClusterView& cluster) {
  const auto share = queue.shares.find(label);
  if (share == queue.shares.end()) return std::nullopt;
  if (share->second.max_resource && share->second.max_resource->memory_mib > 0) return share->second.max_resource;
  if (share->second.max_capacity <= 0) return std::nullopt;
  Resource all;
  for (const auto& node : cluster.nodes) {
    if (runs_in(node, label)) all = all + node.capability;
  }
  return share_of(all, static_cast<double>(share->second.max_capacity));
}

// "worker x 4, am x 1".
std::string list_of(std::span<const Need> needs, const std::string& label) {
  std::vector<std::string> parts;
  for (const auto& need : needs) {
    if (need.label == label && need.count > 0) parts.push_back(fmt::format("{} x {}", need.role, need.count));
  }
  return core::join(parts, ", ");
}

core::Result<> check_total(std::span<const Need> needs, const QueueInfo& queue, const ClusterView& cluster) {
  std::map<std::string, Resource> totals;
  for (const auto& need : needs) totals[need.label] = totals[need.label] + need.resource * need.count;
  for (const auto& [label, total] : totals) {
    const auto most = most_of_queue(queue, label, cluster);
    if (!most) continue;
    // The maximum of a queue contains only the types that the scheduler limits per queue. Other types are limited by
    // the nodes.
    auto known = limiting(total, cluster);
    std::erase_if(known.others, [&](const auto& entry) { return !most->others.contains(entry.first); });
    const auto type = what_does_not_fit(known, *most);
    if (!type) continue;
    return core::fail(
        Errc::no_capacity,
        fmt::format("{} ask for {} together, but queue {} may have at most {} of the {}", list_of(needs, label),
                    amount_of(total, *type), queue.name, amount_of(*most, *type), partition_name(label)));
  }
  return {};
}

// Only a note, because a master that is too large is not refused: the first master in an empty queue starts with any
// size.
std::optional<std::string> master_share_note(const Need& master, const QueueInfo& queue, const ClusterView& cluster) {
  const auto share = queue.shares.find(master.label);
  const auto most = most_of_queue(queue, master.label, cluster);
  if (share == queue.shares.end() || !share->second.max_am_share || !most || queue.running_apps == 0)
    return std::nullopt;
  const auto allowed = share_of(*most, static_cast<double>(*share->second.max_am_share));
  const auto type = what_does_not_fit({.memory_mib = master.resource.memory_mib}, allowed);
  if (!type && queue.pending_apps == 0) return std::nullopt;
  if (!type) {
    return fmt::format(
        "{} already in queue {}: the job will wait for its turn",
        queue.pending_apps == 1 ? "1 application waits" : fmt::format("{} applications wait", queue.pending_apps),
        queue.name);
  }
  return fmt::format(
      "{} asks for {}, but the masters of all jobs in queue {} may have {} together, and {} there now: the "
      "job will wait for its turn",
      master.role, amount_of(master.resource, *type), queue.name, amount_of(allowed, *type),
      queue.running_apps == 1 ? "1 job runs" : fmt::format("{} jobs run", queue.running_apps));
}

core::Result<> check_need(const Need& need, const QueueInfo& queue, const ClusterView& cluster) {
  if (auto checked = check_types(need, cluster); !checked) return checked;
  if (auto checked = check_label(need, queue, cluster); !checked) return checked;
  if (auto checked = check_maximum(need, queue, cluster); !checked) return checked;
  if (auto checked = check_hosts(need, cluster); !checked) return checked;
  if (auto checked = check_racks(need, cluster); !checked) return checked;
  return check_nodes(need, queue, cluster);
}

// Clients cannot see whether the scheduler considers vcores. If it does, a job that needs too many waits forever.
std::optional<std::string> vcores_note(std::span<const Need> needs, const QueueInfo& queue,
                                       const ClusterView& cluster) {
  auto counting = cluster;
  counting.counts_vcores = true;
  auto checked = check_total(needs, queue, counting);
  for (const auto& need : needs) {
    if (checked && need.count > 0) checked = check_nodes(need, queue, counting);
  }
  if (checked) return std::nullopt;
  return fmt::format("{}: the job will wait forever if this cluster's scheduler considers vcores",
                     checked.error().message);
}

}  // namespace

bool is_of_fair_scheduler(const QueueInfo& queue) {
  return queue.scheduler.empty() ? queue.shares.empty() : queue.scheduler.find("Fair") != std::string::npos;
}

const QueueInfo* find_queue(const QueueInfo& root, std::string_view name) {
  if (root.name == name || root.path == name || root.path == fmt::format("root.{}", name)) return &root;
  for (const auto& child : root.children) {
    if (const auto* found = find_queue(child, name)) return found;
  }
  return nullptr;
}

core::Result<std::vector<std::string>> check_needs(std::span<const Need> needs, const ClusterView& cluster) {
  const auto* queue = find_queue(cluster.root, cluster.queue);
  const QueueInfo unknown{.name = cluster.queue, .path = cluster.queue, .labels = {"*"}};
  if (queue == nullptr) {
    if (!may_be_made(cluster)) return core::fail(no_such_queue(cluster));
    queue = &unknown;  // the ResourceManager checks its limits at submission
  }
  if (auto checked = check_queue(*queue); !checked) return core::fail(std::move(checked).error());
  for (const auto& need : needs) {
    if (need.count <= 0) continue;
    auto checked = check_need(need, *queue, cluster);
    if (!checked) return core::fail(std::move(checked).error());
  }
  if (auto checked = check_total(needs, *queue, cluster); !checked) return core::fail(std::move(checked).error());
  std::vector<std::string> notes;
  if (!needs.empty()) {
    if (auto note = master_share_note(needs.front(), *queue, cluster)) notes.push_back(*std::move(note));
    if (auto note = vcores_note(needs, *queue, cluster)) notes.push_back(*std::move(note));
  }
  return notes;
}

}  // namespace ydl::yarn
