#include "client/yarn/cluster_client.hpp"

#include "client/yarn/token_names.hpp"
#include "core/user.hpp"
#include "hconf/services.hpp"
#include "hdfs/configured.hpp"
#include "hrpc/login.hpp"
#include "hrpc/sasl/ticket_cache.hpp"
#include "net/wait_for.hpp"
#include "yarn/configured.hpp"
#include "yarn/token_life.hpp"

namespace ydl::client {

void ClusterClient::close() const {
  fs->close();
  rm->close();
}

namespace {

struct Login {
  std::string user;
  yarn::Credentials tokens = {};
};

// The user's name on the cluster: with Kerberos from the ticket, or from the tokens of a client without a ticket.
core::Result<Login> log_in(bool is_secure) {
  if (!is_secure) return Login{core::user_name()};
  const auto ticket = hrpc::sasl::read_ticket_cache({});
  if (!ticket || !hrpc::sasl::check_ticket(*ticket, core::wall_now())) {
    auto tokens = yarn::process_credentials();
    if (!tokens) return core::fail(tokens.error());
    const auto owner = yarn::owner_of(*tokens);
    if (!owner.empty()) return Login{hrpc::short_name(owner), *std::move(tokens)};
  }
  if (!ticket) return core::fail(ticket.error());
  return Login{hrpc::short_name(ticket->principal)};
}

// An unknown host name is reported at the connection.
void add_names_of(const hconf::NameService& service, ClusterClient& cluster) {
  if (cluster.tokens.tokens.empty()) return;
  net::asio::io_context context(1);
  if (const auto names = net::wait_for(context, token_names(cluster.config, service)))
    add_names(cluster.tokens, *names);
}

}  // namespace

core::Result<ClusterClient> open_cluster(const net::asio::any_io_executor& executor, hconf::Config config) {
  ClusterClient cluster{.config = std::move(config), .user = {}, .root = {}, .url_prefix = {}, .fs = {}, .rm = {}};
  cluster.is_secure = cluster.config.get_trimmed("hadoop.security.authentication") == "kerberos";
  cluster.executor = executor;
  auto login = log_in(cluster.is_secure);
  if (!login) return core::fail(login.error());
  cluster.user = std::move(login->user);
  cluster.tokens = std::move(login->tokens);
  if (const auto uri = cluster.config.get_trimmed("fs.defaultFS"); hconf::is_view(uri)) {
    auto view = hconf::ViewFs::of(cluster.config, uri);
    if (!view) return core::fail(view.error());
    cluster.view = *std::move(view);
  }
  auto on_hdfs = hconf::with_hdfs_default(std::move(cluster.config), "/user/" + cluster.user);
  if (!on_hdfs) return core::fail(on_hdfs.error());
  cluster.config = std::move(on_hdfs->config);
  const auto service = hconf::default_name_service(cluster.config);
  if (!service) return core::fail(service.error());
  add_names_of(*service, cluster);
  const auto tokens = yarn::tokens_of(cluster.tokens);
  auto hdfs_options = hdfs::configured(cluster.config, *service, {.user = cluster.user, .tokens = tokens});
  if (!hdfs_options) return core::fail(hdfs_options.error());
  cluster.fs = std::make_shared<hdfs::FileSystem>(executor, *std::move(hdfs_options));
  cluster.url_prefix = "hdfs://" + service->name;
  cluster.root = on_hdfs->home + "/.ydl";

  auto rm_options = yarn::client_rm_options(cluster.config, {.user = cluster.user, .tokens = tokens});
  if (!rm_options) return core::fail(rm_options.error());
  // A user is waiting, so the timeout is shorter than Hadoop's default of 15 minutes.
  rm_options->retry.same_server_pause = std::min(rm_options->retry.same_server_pause, core::Millis(1'000));
  rm_options->retry.max_retries = std::min(rm_options->retry.max_retries, 20);
  rm_options->retry.backoff_base = std::min(rm_options->retry.backoff_base, core::Millis(500));
  rm_options->retry.backoff_max = std::min(rm_options->retry.backoff_max, core::Millis(2'000));
  cluster.rm = std::make_shared<yarn::ClientRm>(executor, *std::move(rm_options));
  return cluster;
}

}  // namespace ydl::client
