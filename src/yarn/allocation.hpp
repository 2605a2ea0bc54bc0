#pragma once

#include "yarn/records.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// What an ApplicationMaster and the ResourceManager say to each other, as plain values.
namespace ydl::yarn {

inline constexpr std::string_view kAnywhere = "*";

// Of `key`, so many containers wanted at `place`, in all and not in addition: sent once more it means the same, 0 takes
// it back.
struct PlaceAsk {
  AskKey key;
  std::string place;  // a host, a rack, or kAnywhere
  Resource resource = {};
  int count = 0;
  bool relax_locality = true;  // false: nothing may be granted at this level, it is only there for those below
  std::string label = {};      // of kAnywhere only
  bool operator==(const PlaceAsk&) const = default;
};

struct AllocateRequest {
  std::int32_t response_id = 0;  // of the last response; the one before it asks for that response again
  float progress = 0;            // 0 to 1
  std::vector<PlaceAsk> asks = {};
  std::vector<ContainerId> releases = {};
  std::vector<std::string> avoid = {};    // hosts put on the blacklist
  std::vector<std::string> forgive = {};  // and taken off it
  bool operator==(const AllocateRequest&) const = default;
};

// A NodeManager's token: it comes once for each node and attempt.
struct NmToken {
  NodeId node;
  hrpc::Token token;
};

struct AllocateResponse {
  enum class Command { none, resync, shutdown };  // of older ResourceManagers; newer ones throw
  Command command = Command::none;
  std::int32_t response_id = 0;
  std::vector<Container> granted = {};
  std::vector<ContainerStatus> completed = {};
  std::vector<Container> from_previous_attempts = {};
  std::vector<NmToken> nm_tokens = {};
  std::vector<NodeReport> changed_nodes = {};
  std::vector<ContainerId> will_be_preempted = {};  // for certain
  std::vector<ContainerId> may_be_preempted = {};
  std::optional<hrpc::Token> am_rm_token = std::nullopt;  // the ResourceManager has a new key
  Resource headroom = {};                                 // what we could still get; can be nonsense with labels
  int cluster_nodes = 0;
};

struct Registration {
  Resource maximum = {};
  std::string queue = {};
  std::vector<ResourceType> resource_types = {};
  bool counts_vcores = true;  // false: the scheduler looks at memory only, and vcores are just numbers
  std::vector<Container> from_previous_attempts = {};
  std::vector<NmToken> nm_tokens = {};
  // The application's ACLs as they were submitted (core/access_list.hpp).
  std::optional<std::string> viewers = std::nullopt;
  std::optional<std::string> modifiers = std::nullopt;
  std::string client_token_key = {};  // of clients' tokens for this attempt (client_token.hpp); secure clusters only
};

}  // namespace ydl::yarn
