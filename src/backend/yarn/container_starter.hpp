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

  struct Options {
    std::string user;
    core::Millis retry_pause = core::Seconds(1);
  };
  ContainerStarter(net::asio::any_io_executor executor, hconf::Config config, Options options)
      : executor_(std::move(executor)), config_(std::move(config)), options_(std::move(options)) {}

  // In the background. `failed` is called for each that could not be started.
  void start(const yarn::NodeId& node, const hrpc::Token& token, std::vector<yarn::ContainerManager::Start> starts,
             Failed failed);
  // In the background; what cannot be told the NodeManager hears from the ResourceManager.
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
