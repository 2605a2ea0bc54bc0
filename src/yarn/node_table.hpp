#pragma once

#include "yarn/ask_policy.hpp"

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace ydl::yarn {

// The master's view of the cluster's nodes: the snapshot of the client, updated with the ResourceManager's reports and
// with our own granted and completed containers.
class NodeTable {
 public:
  explicit NodeTable(std::span<const NodeReport> snapshot);

  void update(const NodeReport& report);
  void take(const NodeId& node, const Resource& resource);
  void give_back(const NodeId& node, const Resource& resource);
  void avoid(const std::string& host) { avoided_.insert(host); }
  void forgive(const std::string& host) { avoided_.erase(host); }

  [[nodiscard]] const std::set<std::string>& avoided() const { return avoided_; }
  [[nodiscard]] bool is_usable(const std::string& host) const;
  // All running nodes, including avoided and full ones.
  [[nodiscard]] std::vector<NodeRoom> running() const;
  // Nothing for an unknown node.
  [[nodiscard]] std::optional<NodeState> state_of(const NodeId& node) const;
  // Empty for an unknown host.
  [[nodiscard]] std::string rack_of(const std::string& host) const;
  [[nodiscard]] std::vector<NodeRoom> rooms() const;

 private:
  struct Node {
    std::string rack;
    std::string label;
    Resource free;
    Resource capability;
    NodeState state = NodeState::starting;
    [[nodiscard]] bool runs() const { return state == NodeState::running; }
  };
  std::map<NodeId, Node> nodes_;
  std::set<std::string> avoided_;
};

}  // namespace ydl::yarn
