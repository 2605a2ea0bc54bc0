#include "client/yarn/cluster_client.hpp"

#include "core/user.hpp"
#include "hconf/services.hpp"
#include "hdfs/configured.hpp"
#include "hrpc/sasl/ticket_cache.hpp"
#include "yarn/configured.hpp"

namespace ydl::client {

void ClusterClient::close() const {
  fs->close();
  rm->close();
}

namespace {

// Whom the cluster takes us for: with Kerberos the ticket says.
core::Result<std::string> cluster_user(bool is_secure) {
  if (!is_secure) return core::user_name();
  const auto ticket = hrpc::sasl::read_ticket_cache({});
  if (!ticket) return core::fail(ticket.error());
  return ticket->principal.substr(0, ticket->principal.find_first_of("/@"));
}

}  // namespace

core::Result<ClusterClient> open_cluster(const net::asio::any_io_executor& executor, hconf::Config config) {
  ClusterClient cluster{.config = std::move(config), .user = {}, .root = {}, .url_prefix = {}, .fs = {}, .rm = {}};
  cluster.is_secure = cluster.config.get_trimmed("hadoop.security.authentication") == "kerberos";
  auto user = cluster_user(cluster.is_secure);
  if (!user) return core::fail(user.error());
  cluster.user = *std::move(user);
  const auto service = hconf::default_name_service(cluster.config);
  if (!service) return core::fail(service.error());
  auto hdfs_options = hdfs::configured(cluster.config, *service, {.user = cluster.user});
  if (!hdfs_options) return core::fail(hdfs_options.error());
  cluster.fs = std::make_shared<hdfs::FileSystem>(executor, *std::move(hdfs_options));
  cluster.url_prefix = "hdfs://" + service->name;
  cluster.root = cluster.fs->home_directory() + "/.ydl";

  auto rm_options = yarn::client_rm_options(cluster.config, {.user = cluster.user});
  if (!rm_options) return core::fail(rm_options.error());
  // People wait for this: Hadoop's own patience is a quarter of an hour.
  rm_options->retry.same_server_pause = std::min(rm_options->retry.same_server_pause, core::Millis(1'000));
  rm_options->retry.max_retries = std::min(rm_options->retry.max_retries, 20);
  rm_options->retry.backoff_base = std::min(rm_options->retry.backoff_base, core::Millis(500));
  rm_options->retry.backoff_max = std::min(rm_options->retry.backoff_max, core::Millis(2'000));
  cluster.rm = std::make_shared<yarn::ClientRm>(executor, *std::move(rm_options));
  return cluster;
}

}  // namespace ydl::client
