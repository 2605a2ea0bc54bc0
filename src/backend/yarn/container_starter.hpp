#pragma once

#include "hconf/config.hpp"
#include "net/asio.hpp"
#include "yarn/container_manager.hpp"

#include <functional>
#include <string>
#include <vector>

namespace ydl::backend {

// Starts and stops containers on many NodeManagers at the same time, with one call for all containers of a node.
class ContainerStarter {
 public:
  using Failed = std::function<void(const yarn::ContainerId&, const core::Error&)>;

  struct Options {
    std::string user;
    core::Millis retry_pause = core::Seconds(1);
  };
  ContainerStarter(net::asio::any_io_executor executor, hconf::Config config, Options options)
      : executor_(std::move(executor)), config_(std::move(config)), options_(std::move(options)) {}

  // Runs in the background. Calls `failed` for each container that could not be started.
  void start(const yarn::NodeId& node, const hrpc::Token& token, std::vector<yarn::ContainerManager::Start> starts,
             Failed failed);
  // Runs in the background. If the NodeManager cannot be reached, the ResourceManager tells it later.
  void stop(const yarn::NodeId& node, const hrpc::Token& token, std::vector<yarn::ContainerId> ids);

  [[nodiscard]] net::Async<yarn::ContainerManager::Statuses> statuses(yarn::NodeId node, hrpc::Token token,
                                                                      std::vector<yarn::ContainerId> ids);

 private:
  [[nodiscard]] core::Result<hrpc::ClientOptions> client_options(const yarn::NodeId& node,
                                                                 const hrpc::Token& token) const;

  net::asio::any_io_executor executor_;
  hconf::Config config_;
  Options options_;
};

}  // namespace ydl::backend
