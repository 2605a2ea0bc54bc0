#pragma once

#include "yarn/allocation.hpp"

#include <map>
#include <span>
#include <string>
#include <vector>

// Decides at which hosts to request the containers of a role. Pure.
//
// Per heartbeat of a node, the CapacityScheduler grants only one container that was requested "anywhere", but as many
// as fit of those that were requested on this node. So naming hosts makes a gang start ten times faster. The
// conditions: one key has entries for host, rack and anywhere; only the last has the label; and only hosts with room
// are named. The scheduler would reserve a full host, which blocks it for all applications and ends the scheduler's
// round for our other roles.
namespace ydl::yarn {

enum class Arrangement {
  spread,  // as few containers of a role per host as possible
  pack,    // on as few hosts as possible
};

// The containers that one role needs.
struct RoleAsk {
  AskKey key;
  Resource resource;
  std::string label = {};
  std::vector<std::string> hosts = {};  // only on these hosts; if `racks` is empty too: anywhere
  std::vector<std::string> racks = {};  // only on these racks or on one of `hosts`
  Arrangement arrangement = Arrangement::spread;
};

// What the master knows about a node.
struct NodeRoom {
  std::string host;
  std::string rack = {};
  std::string label = {};
  Resource free = {};
  Resource capability = {};  // total; empty if not known
  bool usable = true;        // whether it runs and is not avoided
  int of_role = 0;           // containers of the role that are already on it
};

// From strict to relaxed. If hosts are named but others are allowed too, the scheduler waits for the named ones only
// for a time proportional to nodes x requests / locations. So the last of a few requests is granted on the next node
// that sends a heartbeat, and two tasks that should be on different hosts may get the same one.
enum class AskStyle {
  only_hosts,  // only on the named hosts, if they have room for all containers
  by_host,     // hosts are named, but others are allowed too
  // no hosts are named: for the FairScheduler, for asynchronous scheduling, or if naming hosts did not help
  anywhere,
};

struct LocationCount {
  int count = 0;
  bool relax_locality = true;
  bool operator==(const LocationCount&) const = default;
};
// The key is a location: a host, a rack, or kAnywhere.
using AskTable = std::map<std::string, LocationCount, std::less<>>;

// Whether the role's label, hosts and racks allow containers on this node.
[[nodiscard]] bool may_be_on(const RoleAsk& role, const NodeRoom& node);

// The complete table of requests for `count` containers. No containers are requested at locations that are not in it.
[[nodiscard]] AskTable plan_asks(const RoleAsk& role, int count, std::span<const NodeRoom> nodes, AskStyle style);

}  // namespace ydl::yarn
