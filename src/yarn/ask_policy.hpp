#pragma once

#include "yarn/allocation.hpp"

#include <map>
#include <span>
#include <string>
#include <vector>

// Where to ask for a role's containers. Pure.
//
// The CapacityScheduler grants one container that may be "anywhere" per heartbeat of a node, but as many as fit of
// those asked for on that very node: naming hosts makes a gang start ten times faster. What it takes: entries for host,
// rack and anywhere under one key; a label on the last only; only hosts that have room now, because a full one that is
// named is reserved, which blocks it for everybody and ends the scheduler's round for our other roles.
namespace ydl::yarn {

enum class Arrangement {
  spread,  // as few of a role on one host as possible
  pack,    // on as few hosts as possible
};

// What one role wants.
struct RoleAsk {
  AskKey key;
  Resource resource;
  std::string label = {};
  std::vector<std::string> hosts = {};  // only there; with `racks` empty as well: anywhere
  std::vector<std::string> racks = {};  // only there, or on one of `hosts`
  Arrangement arrangement = Arrangement::spread;
};

// A node as far as we know it.
struct NodeRoom {
  std::string host;
  std::string rack = {};
  std::string label = {};
  Resource free = {};
  Resource capability = {};  // in all; nothing: not known
  bool usable = true;        // it runs and is not avoided
  int of_role = 0;           // containers of the role that are there already
};

// Each laxer than the one before it. Where hosts are named and others allowed, the scheduler waits for the named ones
// only as long as nodes x asks divided by places: the last of a few asks is granted on whichever node speaks next, and
// two tasks that were to be apart are together.
enum class AskStyle {
  only_hosts,  // on the hosts that are named and nowhere else, as far as all of them have room
  by_host,     // hosts are named where naming helps
  anywhere,    // the FairScheduler, asynchronous scheduling; or naming has not helped
};

struct PlaceCount {
  int count = 0;
  bool relax_locality = true;
  bool operator==(const PlaceCount&) const = default;
};
// By place: hosts, racks, kAnywhere.
using AskTable = std::map<std::string, PlaceCount, std::less<>>;

// Whether containers of the role may be there, by its label and the hosts and racks that it names.
[[nodiscard]] bool may_be_on(const RoleAsk& role, const NodeRoom& node);

// The whole table for `count` containers; places that are not in it are asked for nothing.
[[nodiscard]] AskTable plan_asks(const RoleAsk& role, int count, std::span<const NodeRoom> nodes, AskStyle style);

}  // namespace ydl::yarn
