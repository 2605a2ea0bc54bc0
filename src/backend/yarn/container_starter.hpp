#pragma once

#include "hconf/config.hpp"
#include "net/asio.hpp"
#include "yarn/container_manager.hpp"

#include <functional>
#include <string>
#include <vector>

namespace ydl::backend {

// Speaks to NodeManagers, to many at once: one call for all containers of a node.
class ContainerStarter {
 public:
  using Failed = std::function<void(const yarn::ContainerId&, const core::Error&)>;

  ContainerStarter(net::asio::any_io_executor executor, hconf::Config config, std::string user)
      : executor_(std::move(executor)), config_(std::move(config)), user_(std::move(user)) {}

  // In the background. `failed` is called for each that could not be started.
  void start(const yarn::NodeId& node, const hrpc::Token& token, std::vector<yarn::ContainerManager::Start> starts,
             Failed failed);
  // In the background; what cannot be told the NodeManager hears from the ResourceManager.
  void stop(const yarn::NodeId& node, const hrpc::Token& token, std::vector<yarn::ContainerId> ids);

 private:
  [[nodiscard]] core::Result<hrpc::ClientOptions> options(const yarn::NodeId& node, const hrpc::Token& token) const;

  net::asio::any_io_executor executor_;
  hconf::Config config_;
  std::string user_;
};

}  // namespace ydl::backend
