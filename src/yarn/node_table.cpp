#include "yarn/node_table.hpp"

#include <algorithm>

namespace ydl::yarn {

NodeTable::NodeTable(std::span<const NodeReport> snapshot) {
  for (const auto& report : snapshot) update(report);
}

void NodeTable::update(const NodeReport& report) {
  nodes_[report.id] = {.rack = report.rack,
                       .label = report.label,
                       .free = report.free(),
                       .capability = report.capability,
                       .state = report.state};
}

void NodeTable::take(const NodeId& node, const Resource& resource) {
  if (const auto found = nodes_.find(node); found != nodes_.end()) found->second.free = found->second.free - resource;
}

void NodeTable::give_back(const NodeId& node, const Resource& resource) {
  if (const auto found = nodes_.find(node); found != nodes_.end()) found->second.free = found->second.free + resource;
}

bool NodeTable::is_usable(const std::string& host) const {
  return !avoided_.contains(host) && std::ranges::any_of(nodes_, [&](const auto& entry) {
    return entry.first.host == host && entry.second.runs();
  });
}

std::string NodeTable::rack_of(const std::string& host) const {
  const auto found = std::ranges::find_if(nodes_, [&](const auto& entry) { return entry.first.host == host; });
  return found == nodes_.end() ? "" : found->second.rack;
}

std::vector<NodeRoom> NodeTable::rooms() const {
  std::vector<NodeRoom> rooms;
  rooms.reserve(nodes_.size());
  for (const auto& [id, node] : nodes_) {
    rooms.push_back({.host = id.host,
                     .rack = node.rack,
                     .label = node.label,
                     .free = node.free,
                     .usable = node.runs() && !avoided_.contains(id.host)});
  }
  return rooms;
}

std::vector<NodeRoom> NodeTable::running() const {
  std::vector<NodeRoom> running;
  for (const auto& [id, node] : nodes_) {
    if (!node.runs()) continue;
    running.push_back({.host = id.host, .rack = node.rack, .label = node.label, .capability = node.capability});
  }
  return running;
}

std::optional<NodeState> NodeTable::state_of(const NodeId& node) const {
  const auto found = nodes_.find(node);
  if (found == nodes_.end()) return std::nullopt;
  return found->second.state;
}

}  // namespace ydl::yarn
