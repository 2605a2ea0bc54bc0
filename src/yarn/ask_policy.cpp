#include "yarn/ask_policy.hpp"

#include <algorithm>
#include <tuple>

namespace ydl::yarn {
namespace {

constexpr std::int64_t kMany = 1'000'000;  // the limit for containers without any resources

struct Candidate {
  const NodeRoom* node;
  std::int64_t fits = 0;  // how many more containers fit on the node
  int taken = 0;          // how many this plan puts on the node
  [[nodiscard]] int crowd() const { return node->of_role + taken; }
};

bool is_named(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

bool is_constrained(const RoleAsk& role) {
  return !role.hosts.empty() || !role.racks.empty();
}

// The nodes on which at least one container fits now.
std::vector<Candidate> candidates(const RoleAsk& role, std::span<const NodeRoom> nodes) {
  std::vector<Candidate> found;
  for (const auto& node : nodes) {
    if (!node.usable || !may_be_on(role, node)) continue;
    const auto fits = times_it_fits(role.resource, node.free, kMany);
    if (fits > 0) found.push_back({&node, fits});
  }
  return found;
}

// Each container goes to the node with the fewest containers of the role; among those, to the one with the most room,
// and then by name, so that plans are deterministic.
void spread(std::vector<Candidate>& nodes, int count) {
  const auto order = [](const Candidate& a, const Candidate& b) {
    return std::tuple(-a.crowd(), a.fits - a.taken, b.node->host) <
           std::tuple(-b.crowd(), b.fits - b.taken, a.node->host);
  };
  auto heap = nodes;
  std::ranges::make_heap(heap, order);
  nodes.clear();
  for (int i = 0; i < count && !heap.empty(); ++i) {
    std::ranges::pop_heap(heap, order);
    if (++heap.back().taken < heap.back().fits) {
      std::ranges::push_heap(heap, order);
    } else {
      nodes.push_back(heap.back());
      heap.pop_back();
    }
  }
  nodes.insert(nodes.end(), heap.begin(), heap.end());
}

// Hosts that already have containers of the role are filled first, then the hosts with the most room.
void pack(std::vector<Candidate>& nodes, int count) {
  std::ranges::sort(nodes, [](const Candidate& a, const Candidate& b) {
    return std::tuple(b.node->of_role > 0, b.fits, a.node->host) <
           std::tuple(a.node->of_role > 0, a.fits, b.node->host);
  });
  for (auto& node : nodes) {
    node.taken = static_cast<int>(std::min<std::int64_t>(node.fits, count));
    count -= node.taken;
  }
}

enum class Elsewhere { allowed, refused };

// YARN requires an entry for the rack of every named host. If the role must not run on other hosts, the entry of the
// rack has relax_locality = false.
void name_host(AskTable& table, const RoleAsk& role, const Candidate& chosen, Elsewhere elsewhere) {
  const auto& node = *chosen.node;
  table[node.host].count += chosen.taken;
  auto& rack = table[node.rack];
  rack.count += chosen.taken;
  rack.relax_locality = elsewhere == Elsewhere::allowed;
  if (is_constrained(role) && is_named(role.racks, node.rack)) rack.relax_locality = true;
}

int taken_by(std::span<const Candidate> nodes) {
  int taken = 0;
  for (const auto& node : nodes) taken += node.taken;
  return taken;
}

// Requests the full count at every allowed location, so that the scheduler waits for room at any of them.
void name_all_allowed(AskTable& table, const RoleAsk& role, int count, std::span<const NodeRoom> nodes) {
  for (const auto& rack : role.racks) table[rack] = {count, true};
  for (const auto& host : role.hosts) {
    table[host] = {count, true};
    const auto known = std::ranges::find(nodes, host, &NodeRoom::host);
    if (known != nodes.end() && !table.contains(known->rack)) table[known->rack] = {count, false};
  }
}

}  // namespace

bool may_be_on(const RoleAsk& role, const NodeRoom& node) {
  if (node.label != role.label) return false;
  return !is_constrained(role) || is_named(role.hosts, node.host) || is_named(role.racks, node.rack);
}

AskTable plan_asks(const RoleAsk& role, int count, std::span<const NodeRoom> nodes, AskStyle style) {
  AskTable table;
  if (count <= 0) return table;
  auto elsewhere = is_constrained(role) ? Elsewhere::refused : Elsewhere::allowed;
  if (style != AskStyle::anywhere) {
    auto chosen = candidates(role, nodes);
    role.arrangement == Arrangement::pack ? pack(chosen, count) : spread(chosen, count);
    const bool all_have_room = taken_by(chosen) == count;
    if (style == AskStyle::only_hosts && all_have_room) elsewhere = Elsewhere::refused;
    // If the role is limited to some locations and they have not enough room now, all allowed locations are requested
    // instead of chosen ones.
    if (is_constrained(role) && !all_have_room) chosen.clear();
    for (const auto& node : chosen) {
      if (node.taken > 0) name_host(table, role, node, elsewhere);
    }
  }
  if (is_constrained(role) && table.empty()) name_all_allowed(table, role, count, nodes);
  table[std::string(kAnywhere)] = {count, elsewhere == Elsewhere::allowed};
  return table;
}

}  // namespace ydl::yarn
