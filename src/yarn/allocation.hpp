#pragma once

#include "yarn/records.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// The messages between an ApplicationMaster and the ResourceManager, as plain structs.
namespace ydl::yarn {

inline constexpr std::string_view kAnywhere = "*";

// Requests `count` containers of `key` at `location`. The count is the total and not an increment: sending it again
// changes nothing, and 0 cancels the request.
struct LocationAsk {
  AskKey key;
  std::string location;  // the name of a host or rack, or kAnywhere
  Resource resource = {};
  int count = 0;
  // false: nothing is granted at this level itself; YARN requires the entry for the levels below it
  bool relax_locality = true;
  std::string label = {};  // only for kAnywhere
  bool operator==(const LocationAsk&) const = default;
};

struct AllocateRequest {
  // that of the last response; with the one before it, the ResourceManager repeats the last response
  std::int32_t response_id = 0;
  float progress = 0;  // 0 to 1
  std::vector<LocationAsk> asks = {};
  std::vector<ContainerId> releases = {};
  std::vector<std::string> avoid = {};    // hosts to add to the blacklist
  std::vector<std::string> forgive = {};  // hosts to remove from it
  bool operator==(const AllocateRequest&) const = default;
};

// The token for a NodeManager. The ResourceManager sends it only once per node and attempt.
struct NmToken {
  NodeId node;
  hrpc::Token token;
};

struct AllocateResponse {
  enum class Command { none, resync, shutdown };  // only sent by old ResourceManagers; newer ones throw exceptions
  Command command = Command::none;
  std::int32_t response_id = 0;
  std::vector<Container> granted = {};
  std::vector<ContainerStatus> completed = {};
  std::vector<Container> from_previous_attempts = {};
  std::vector<NmToken> nm_tokens = {};
  std::vector<NodeReport> changed_nodes = {};
  std::vector<ContainerId> will_be_preempted = {};  // these containers will certainly be preempted
  std::vector<ContainerId> may_be_preempted = {};
  std::optional<hrpc::Token> am_rm_token = std::nullopt;  // the ResourceManager has a new key
  // resources that the application can still get; wrong on clusters with node labels
  Resource headroom = {};
  int cluster_nodes = 0;
};

struct Registration {
  Resource maximum = {};
  std::string queue = {};
  std::vector<ResourceType> resource_types = {};
  bool counts_vcores = true;  // false: the scheduler considers memory only and ignores vcores
  std::vector<Container> from_previous_attempts = {};
  std::vector<NmToken> nm_tokens = {};
  // The application's ACLs from its submission (core/access_list.hpp).
  std::optional<std::string> viewers = std::nullopt;
  std::optional<std::string> modifiers = std::nullopt;
  // checks clients' tokens for this attempt (client_token.hpp); only on secure clusters
  std::string client_token_key = {};
};

}  // namespace ydl::yarn
