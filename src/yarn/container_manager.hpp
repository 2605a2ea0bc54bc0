#pragma once

#include "hrpc/client.hpp"
#include "net/asio.hpp"
#include "yarn/launch_context.hpp"
#include "yarn/records.hpp"

#include <span>
#include <vector>

namespace ydl::yarn {

// The calls of an ApplicationMaster to a NodeManager (ContainerManagementProtocol). The port accepts only the node's
// NMToken. Errors of a call: those of hrpc/errors.hpp; failures of single containers are in the answer.
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
    hrpc::Token token;  // the token that was granted with the container
    Launch launch;
  };
  // Starts any number of containers. A container that is already running counts as started: the answer to an earlier
  // call may have been lost.
  [[nodiscard]] net::Async<Outcome> start(std::vector<Start> starts);
  // Sends SIGTERM, and SIGKILL 250 ms later. A container that has already ended counts as stopped.
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

// Checks an answer against the containers in the request. A container that the answer does not contain counts as
// failed, and so does one that is listed both as done and as failed. Other containers are dropped, because they may
// belong to another NodeManager.
[[nodiscard]] ContainerManager::Outcome settled(ContainerManager::Outcome said, std::span<const ContainerId> asked);

}  // namespace ydl::yarn
