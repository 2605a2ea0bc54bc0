#include "client/yarn/job_file_systems.hpp"

#include "client/yarn/token_names.hpp"
#include "core/strings.hpp"
#include "hconf/named_services.hpp"
#include "hdfs/configured.hpp"
#include "hdfs/file_systems.hpp"
#include "hrpc/errors.hpp"
#include "hrpc/principal.hpp"
#include "yarn/configured.hpp"
#include "yarn/token_identifiers.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ydl::client {
namespace {

using core::fail;

net::Async<std::vector<std::vector<std::string>>> names_of(hconf::Config config, std::vector<JobFileSystem> systems) {
  std::vector<std::vector<std::string>> names;
  for (const auto& system : systems) {
    auto known = co_await token_names(config, system.service);
    if (!known) co_return fail(known.error().within(system.named_by));
    names.push_back(*std::move(known));
  }
  co_return names;
}

core::Result<std::shared_ptr<hdfs::FileSystem>> open_service(ClusterClient& cluster,
                                                             const hconf::NameService& service) {
  if (fmt::format("hdfs://{}", service.name) == cluster.url_prefix) return cluster.fs;
  const auto tokens = yarn::tokens_of(cluster.tokens);
  auto options = hdfs::configured(cluster.config, service, {.user = cluster.user, .tokens = tokens});
  if (!options) return fail(options.error());
  return std::make_shared<hdfs::FileSystem>(cluster.executor, *std::move(options));
}

net::Async<hrpc::Token> token_of(ClusterClient& cluster, const JobFileSystem& system, std::string renewer) {
  const auto fs = open_service(cluster, system.service);
  if (!fs) co_return fail(fs.error());
  auto token = co_await (*fs)->delegation_token(std::move(renewer));
  if (*fs != cluster.fs) (*fs)->close();
  co_return token;
}

void enter(yarn::Credentials& credentials, hrpc::Token token, const std::vector<std::string>& names) {
  token.service = names.front();
  credentials.tokens[names.back()] = std::move(token);
}

}  // namespace

core::Result<std::vector<JobFileSystem>> file_systems_of(const hconf::Config& config, const spec::JobSpec& job,
                                                         const std::string& results) {
  std::vector<std::pair<std::string, std::string>> named{{"fs.defaultFS", "hdfs:///"}};
  for (const auto& input : job.inputs) named.emplace_back("the input " + input.source, input.source);
  if (!results.empty()) named.emplace_back("the results' folder " + results, results);
  for (const auto& url : job.name_nodes) named.emplace_back("the name node " + url, url);
  std::vector<JobFileSystem> systems;
  for (const auto& [what, url] : named) {
    const auto services = hconf::services_behind(config, url);
    if (!services) return fail(services.error().within(what));
    for (const auto& service : *services) {
      const auto is_known = [&](const JobFileSystem& known) { return known.service.name == service.name; };
      if (std::ranges::none_of(systems, is_known)) systems.push_back({service, what});
    }
  }
  return systems;
}

net::Async<> check_file_systems(ClusterClient& cluster, const spec::JobSpec& job, std::vector<JobFileSystem> systems) {
  if (!cluster.tokens.tokens.empty()) {
    const auto names = co_await names_of(cluster.config, systems);
    if (!names) co_return fail(names.error());
    for (const auto& each : *names) add_names(cluster.tokens, each);
    if (const auto found = tokens_for_job(cluster.tokens, systems, *names); !found) co_return fail(found.error());
  }
  hdfs::FileSystems file_systems(cluster.executor, *cluster.fs, cluster.config,
                                 {cluster.user, yarn::tokens_of(cluster.tokens)});
  core::Result<> done;
  for (const auto& system : systems) {
    const auto root = file_systems.locate(fmt::format("hdfs://{}/", system.service.name));
    const auto looked = root ? co_await root->fs->stat("/") : fail(root.error());
    if (!looked) done = fail(looked.error().within(system.named_by));
    if (!done) break;
  }
  for (const auto& input : job.inputs) {
    if (!done) break;
    const auto place = file_systems.locate(input.source);
    const auto looked = place ? co_await place->fs->stat(place->path) : fail(place.error());
    if (!looked) {
      done = fail(looked.error().within("the input " + input.source));
    } else if (!*looked) {
      done = fail(hrpc::Errc::not_found, fmt::format("the input {}: no such file or directory", input.source));
    }
  }
  file_systems.close();
  co_return done;
}

core::Result<yarn::Credentials> tokens_for_job(const yarn::Credentials& own, const std::vector<JobFileSystem>& systems,
                                               const std::vector<std::vector<std::string>>& names) {
  auto credentials = yarn::for_tasks(own);
  std::erase_if(credentials.tokens, [](const auto& entry) { return entry.second.kind == yarn::kRmDelegationToken; });
  const auto tokens = yarn::tokens_of(own);
  for (std::size_t i = 0; i < systems.size(); ++i) {
    std::optional<hrpc::Token> found;
    for (const auto& name : names[i]) {
      const auto is_it = [&](const hrpc::Token& token) {
        return token.kind == hrpc::kHdfsToken && token.service == name;
      };
      const auto exact = std::ranges::find_if(tokens, is_it);
      if (exact != tokens.end()) found = *exact;
    }
    if (!found && systems.size() == 1) found = hrpc::select_token(tokens, hrpc::kHdfsToken, names[i].front());
    if (!found) {
      return fail(hrpc::Errc::unauthenticated,
                  fmt::format("{}: HADOOP_TOKEN_FILE_LOCATION has no token for hdfs://{}, and there is no Kerberos "
                              "ticket to get one with; add a token of {} to the file, or run kinit",
                              systems[i].named_by, systems[i].service.name, names[i].front()));
    }
    std::erase_if(credentials.tokens, [&](const auto& entry) { return entry.second.identifier == found->identifier; });
    enter(credentials, *std::move(found), names[i]);
  }
  return credentials;
}

net::Async<yarn::Credentials> delegation_tokens(ClusterClient& cluster, std::vector<JobFileSystem> systems) {
  yarn::Credentials credentials;
  if (!cluster.is_secure) co_return credentials;
  const auto managers = hconf::resource_managers(cluster.config);
  if (!managers) co_return fail(managers.error());
  // Use the full principal, because the NameNode maps it to a short name by its own rules.
  const auto renewer = hrpc::expand_principal(cluster.config.get_trimmed("yarn.resourcemanager.principal"),
                                              managers->front().client.host);
  const auto names = co_await names_of(cluster.config, systems);
  if (!names) co_return fail(names.error());
  if (!cluster.tokens.tokens.empty()) co_return tokens_for_job(cluster.tokens, systems, *names);
  for (std::size_t i = 0; i < systems.size(); ++i) {
    auto token = co_await token_of(cluster, systems[i], renewer);
    if (!token) co_return fail(token.error().within(systems[i].named_by));
    enter(credentials, *std::move(token), (*names)[i]);
  }
  co_return credentials;
}

}  // namespace ydl::client
