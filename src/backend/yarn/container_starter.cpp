#include "backend/yarn/container_starter.hpp"

#include "core/log.hpp"
#include "hrpc/configured.hpp"
#include "net/spawn.hpp"

#include <memory>

namespace ydl::backend {
namespace {

// A NodeManager that cannot be reached for this long counts as lost, because a container on another node comes sooner.
constexpr core::Millis kPatience{15'000};

net::awaitable<void> start_all(std::shared_ptr<yarn::ContainerManager> manager,
                               std::vector<yarn::ContainerManager::Start> starts, ContainerStarter::Failed failed) {
  std::vector<yarn::ContainerId> ids;
  for (const auto& start : starts) ids.push_back(start.id);
  const auto outcome = co_await manager->start(std::move(starts));
  if (!outcome) {
    for (const auto& id : ids) failed(id, outcome.error());
  } else {
    for (const auto& one : outcome->failed) failed(one.id, one.error);
  }
  manager->close();
}

net::awaitable<void> stop_all(std::shared_ptr<yarn::ContainerManager> manager, std::vector<yarn::ContainerId> ids) {
  if (const auto outcome = co_await manager->stop(std::move(ids)); !outcome)
    core::log("stopping containers: {}", outcome.error().message);
  manager->close();
}

}  // namespace

core::Result<hrpc::ClientOptions> ContainerStarter::client_options(const yarn::NodeId& node,
                                                                   const hrpc::Token& token) const {
  auto options = hrpc::node_manager_options(config_, {node.host, static_cast<std::uint16_t>(node.port)}, token,
                                            {.user = options_.user});
  if (!options) return options;
  auto& retry = options->retry;
  options->connect_timeout = std::min(options->connect_timeout, kPatience);
  retry.patience = std::min(retry.patience, kPatience);
  const bool has_pause = retry.same_server_pause > core::Millis(0);
  retry.same_server_pause = has_pause ? std::min(retry.same_server_pause, options_.retry_pause) : options_.retry_pause;
  retry.max_retries = static_cast<int>(retry.patience / retry.same_server_pause);
  return options;
}

void ContainerStarter::start(const yarn::NodeId& node, const hrpc::Token& token,
                             std::vector<yarn::ContainerManager::Start> starts, Failed failed) {
  auto made = client_options(node, token);
  if (!made) {
    for (const auto& start : starts) failed(start.id, made.error());
    return;
  }
  auto manager = std::make_shared<yarn::ContainerManager>(executor_, node, *std::move(made));
  net::spawn(executor_, "starting containers", start_all(std::move(manager), std::move(starts), std::move(failed)));
}

void ContainerStarter::stop(const yarn::NodeId& node, const hrpc::Token& token, std::vector<yarn::ContainerId> ids) {
  auto made = client_options(node, token);
  if (!made) return core::log("stopping containers on {}: {}", node.str(), made.error().message);
  auto manager = std::make_shared<yarn::ContainerManager>(executor_, node, *std::move(made));
  net::spawn(executor_, "stopping containers", stop_all(std::move(manager), std::move(ids)));
}

net::Async<yarn::ContainerManager::Statuses> ContainerStarter::statuses(yarn::NodeId node, hrpc::Token token,
                                                                        std::vector<yarn::ContainerId> ids) {
  auto made = client_options(node, token);
  if (!made) co_return core::fail(made.error());
  yarn::ContainerManager manager(executor_, std::move(node), *std::move(made));
  auto statuses = co_await manager.statuses(std::move(ids));
  manager.close();
  co_return statuses;
}

}  // namespace ydl::backend
