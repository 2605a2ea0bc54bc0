#pragma once

#include "hrpc/client.hpp"
#include "net/asio.hpp"
#include "yarn/launch_context.hpp"
#include "yarn/records.hpp"

#include <span>
#include <vector>

namespace ydl::yarn {

// What an ApplicationMaster asks one NodeManager: ContainerManagementProtocol. The port takes nothing but the node's
// NMToken. Errors of a call are those of hrpc/errors.hpp; what fails for one container stands in the answer.
class ContainerManager {
 public:
  ContainerManager(net::asio::any_io_executor executor, NodeId node, hrpc::ClientOptions options)
      : node_(std::move(node)), rpc_(std::move(executor), std::move(options)) {}

  struct Failure {
    ContainerId id;
    core::Error error;
  };
  struct Outcome {
    std::vector<ContainerId> done = {};
    std::vector<Failure> failed = {};
  };
  struct Start {
    ContainerId id;
    hrpc::Token token;  // the container's, as granted
    Launch launch;
  };
  // Any number at once. One that runs already has been started, by a call whose answer was lost.
  [[nodiscard]] net::Async<Outcome> start(std::vector<Start> starts);
  // TERM, and KILL a quarter of a second later. One that has ended already is done.
  [[nodiscard]] net::Async<Outcome> stop(std::vector<ContainerId> ids);

  struct Statuses {
    std::vector<ContainerStatus> found = {};
    std::vector<Failure> failed = {};
  };
  [[nodiscard]] net::Async<Statuses> statuses(std::vector<ContainerId> ids);

  void close() { rpc_.close(); }

 private:
  NodeId node_;
  hrpc::Client rpc_;
};

// What an answer means for the containers that were asked for, each once: one that it does not name has failed, and so
// has one of which it says both. What it says of others is dropped: they may be those of another NodeManager.
[[nodiscard]] ContainerManager::Outcome settled(ContainerManager::Outcome said, std::span<const ContainerId> asked);

}  // namespace ydl::yarn
