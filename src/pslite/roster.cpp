#include "pslite/roster.hpp"

#include "core/assert.hpp"
#include "core/strings.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include <boost/asio/ip/address.hpp>
#include <fmt/format.h>

namespace ydl::pslite {
namespace {

bool is_numeric(const std::string& host) {
  boost::system::error_code error;
  (void)boost::asio::ip::make_address(host, error);
  return !error;
}

std::optional<Role> role_named(std::string_view role) {
  if (role == name(Role::worker)) return Role::worker;
  if (role == name(Role::server)) return Role::server;
  return std::nullopt;
}

}  // namespace

NodeState state_after(Outlook outlook) {
  switch (outlook) {
    case Outlook::unknown:
    case Outlook::restarts:
      return NodeState::dead;
    case Outlook::gone:
      return NodeState::gone;
    case Outlook::left:
      return NodeState::left;
  }
  return NodeState::dead;
}

void Roster::expect(const Expect& expected) {
  tasks_[expected.task] = Task{.role = expected.role, .host = expected.host, .port = expected.port};
}

Roster::Task& Roster::ended(const NodeExited& exited) {
  auto found = tasks_.find(exited.task);
  if (found == tasks_.end()) {
    found = tasks_.emplace(exited.task, Task{.role = role_named(exited.task.role).value_or(Role::worker)}).first;
  }
  found->second.ended = exited.outlook;
  found->second.how = exited.how;
  return found->second;
}

bool Roster::has_task_at(Role role, const std::string& address) const {
  return std::ranges::any_of(tasks_, [&](const auto& entry) {
    const Task& task = entry.second;
    return task.role == role && (task.host == address || !is_numeric(task.host));
  });
}

std::optional<Roster::TaskMatch> Roster::task_at(Role role, const std::string& host, std::uint16_t port) const {
  std::optional<TaskId> on_host;
  int on_host_count = 0;
  for (const auto& [id, task] : tasks_) {
    if (task.role != role || task.host != host) continue;
    if (task.port == port) return TaskMatch{.task = id, .exact = true};
    if (task.port == 0) {
      on_host = id;
      ++on_host_count;
    }
  }
  // Without ports, several tasks of a role on one host cannot be distinguished.
  if (on_host_count != 1) return std::nullopt;
  return TaskMatch{.task = *on_host, .exact = false};
}

int Roster::count(Role role) const {
  return static_cast<int>(std::ranges::count(nodes_, role, &NodeRecord::role));
}

NodeRecord& Roster::add(NodeRecord node) {
  YDL_ASSERT(!numbered_ && count(node.role) < wanted(node.role));
  return nodes_.emplace_back(std::move(node));
}

void Roster::remove(const NodeRecord& node) {
  YDL_ASSERT(!numbered_);
  std::erase_if(nodes_, [&](const NodeRecord& other) { return &other == &node; });
}

// Assigns ranks without gaps, in the order of the task indices; an elastic role may have fewer tasks than its maximum,
// so some indices can be missing. Returns whether each node belongs to a different task.
bool Roster::rank_by_task(Role role) {
  std::map<int, NodeRecord*> by_index;
  for (NodeRecord& node : nodes_) {
    if (node.role != role) continue;
    if (!node.task || node.task->index < 0 || !by_index.emplace(node.task->index, &node).second) return false;
  }
  int rank = 0;
  for (const auto& [index, node] : by_index) node->id = id_of(role, rank++);
  return true;
}

void Roster::assign_ids() {
  YDL_ASSERT(complete() && !numbered_);
  std::ranges::sort(nodes_, {}, [](const NodeRecord& node) { return std::tie(node.role, node.host, node.port); });
  for (const Role role : {Role::server, Role::worker}) {
    if (rank_by_task(role)) continue;
    std::set<int> taken;
    const auto take = [&](NodeRecord& node, int rank) {
      taken.insert(rank);
      node.id = id_of(role, rank);
    };
    for (NodeRecord& node : nodes_) {
      const bool fits = node.role == role && node.task && node.task->index >= 0 && node.task->index < wanted(role);
      if (fits && !taken.contains(node.task->index)) take(node, node.task->index);
    }
    int next = 0;
    for (NodeRecord& node : nodes_) {
      if (node.role != role || node.id) continue;
      while (taken.contains(next)) ++next;
      take(node, next);
    }
  }
  std::ranges::sort(nodes_, {}, [](const NodeRecord& node) { return std::pair(node.role, number(*node.id)); });
  numbered_ = true;
}

std::optional<std::size_t> Roster::index_of(NodeId id) const {
  const int raw = number(id);
  if (!numbered_ || raw < 8) return std::nullopt;
  const bool is_server = raw % 2 == 0;
  const int rank = (raw - 8) / 2;
  if (rank >= (is_server ? servers_ : workers_)) return std::nullopt;
  return static_cast<std::size_t>(is_server ? rank : servers_ + rank);
}

NodeRecord* Roster::find(NodeId id) {
  const auto index = index_of(id);
  return index ? &nodes_[*index] : nullptr;
}

const NodeRecord* Roster::find(NodeId id) const {
  const auto index = index_of(id);
  return index ? &nodes_[*index] : nullptr;
}

NodeRecord* Roster::find(const TaskId& task) {
  const auto found = std::ranges::find(nodes_, task, &NodeRecord::task);
  return found == nodes_.end() ? nullptr : &*found;
}

NodeRecord* Roster::find(Role role, const std::string& host, std::uint16_t port) {
  const auto found = std::ranges::find_if(
      nodes_, [&](const NodeRecord& node) { return node.role == role && node.host == host && node.port == port; });
  return found == nodes_.end() ? nullptr : &*found;
}

NodeRecord* Roster::replaceable_record(const Node& node) {
  if (const auto match = task_at(node.role, node.host, static_cast<std::uint16_t>(node.port))) {
    NodeRecord* own = find(match->task);
    // A port belongs to one attempt, so the earlier attempt must have ended, even if its end was not reported yet.
    if (own != nullptr && (!own->responsive() || match->exact)) return own;
    if (own != nullptr) return nullptr;
  }
  for (NodeRecord& other : nodes_) {
    if (other.role == node.role && (other.state == NodeState::dead || other.state == NodeState::silent)) return &other;
  }
  return nullptr;
}

Member Roster::member(const NodeRecord& node) const {
  std::optional<int> rank;
  if (node.id) {
    rank = (number(*node.id) - 8) / 2;
  } else if (node.task && node.task->index < wanted(node.role)) {
    rank = node.task->index;
  }
  return Member{.role = node.role, .task = node.task, .rank = rank, .host = node.host, .port = node.port};
}

std::string Roster::missing_text(Role role) const {
  const int missing = wanted(role) - count(role);
  std::vector<std::string> names;
  for (const auto& [id, task] : tasks_) {
    if (task.role != role || std::ranges::find(nodes_, id, &NodeRecord::task) != nodes_.end()) continue;
    names.push_back(task.ended ? fmt::format("{} ({})", id.str(), task.how.empty() ? "ended" : task.how) : id.str());
  }
  // The names are only used if they are unambiguous.
  if (static_cast<int>(names.size()) == missing) return core::join(names, ", ");
  return core::plural(missing, name(role));
}

std::string Roster::registration_text() const {
  std::vector<std::string> have;
  std::vector<std::string> missing;
  for (const Role role : {Role::server, Role::worker}) {
    have.push_back(fmt::format("{} of {}", count(role), core::plural(wanted(role), name(role))));
    if (count(role) < wanted(role)) missing.push_back(missing_text(role));
  }
  return fmt::format("{} have registered; missing: {}", core::join(have, " and "), core::join(missing, ", "));
}

std::string describe(const Member& member) {
  if (member.task) return member.task->str();
  if (member.rank) return fmt::format("{} {} ({}:{})", name(member.role), *member.rank, member.host, member.port);
  return fmt::format("a {} at {}:{}", name(member.role), member.host, member.port);
}

}  // namespace ydl::pslite
