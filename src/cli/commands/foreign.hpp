#pragma once

#include "cli/args/commands.hpp"
#include "client/yarn/cluster_client.hpp"
#include "client/yarn/foreign_job.hpp"
#include "core/result.hpp"
#include "net/asio.hpp"

#include <optional>
#include <string>

// `ydl status|events|logs|kill application_…` of another user's job. While it runs its master is asked, with the token
// that the ResourceManager gives to users who may view it; otherwise there is the ResourceManager's report.
// Each returns the exit code, or nothing where the job is the user's own: the command then goes on with its folder.
namespace ydl::cli {

[[nodiscard]] std::optional<int> show_foreign(const Status& command);
[[nodiscard]] std::optional<int> show_foreign(const Events& command);
[[nodiscard]] std::optional<int> show_foreign(const Logs& command);

// The same job, for commands about several.
struct ForeignTarget {
  client::ClusterClient cluster;
  client::ForeignJob job;
};
// Nothing where `name` is not the id of an application, or that application is the user's own.
// Errors: those of the ResourceManager.
[[nodiscard]] core::Result<std::optional<ForeignTarget>> find_foreign(net::asio::io_context& context,
                                                                      const std::string& name);
// Asks its master to stop it, or else the ResourceManager, and waits for its end. Returns the state in which it ended.
// Errors: refused (it has ended already, or the user may not stop it); those of the ResourceManager.
[[nodiscard]] net::Async<std::string> stop_foreign(ForeignTarget& target, std::optional<core::Millis> grace);

}  // namespace ydl::cli
