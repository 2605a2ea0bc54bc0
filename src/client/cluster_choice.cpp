#include "client/cluster_choice.hpp"

#include "core/strings.hpp"
#include "hconf/services.hpp"

#include <fmt/format.h>

namespace ydl::client {
namespace {

using core::Errc;
using core::fail;
using core::Result;

Result<ClusterChoice> on_this_machine(const ClusterRequest& request, std::string why) {
  if (request.cluster_only.empty())
    return ClusterChoice{core::ClusterKind::local, "runs on this machine: " + std::move(why)};
  const bool one = request.cluster_only.size() == 1;
  return fail(Errc::usage,
              fmt::format("{} only {} sense on a cluster, and the job would run on this machine ({}); remove {}",
                          core::join(request.cluster_only, ", "), one ? "makes" : "make", why, one ? "it" : "them"));
}

constexpr std::string_view kDefaultFs = "fs.defaultFS";

// The cluster of a configuration that `source` names: a folder, or "-hip".
ClusterChoice on_yarn(hconf::Config config, std::string_view source) {
  const auto managers = hconf::resource_managers(config);
  const auto address = managers ? to_string(managers->front().client) : "?";
  return {core::ClusterKind::yarn, fmt::format("runs on YARN, ResourceManager {} (from {})", address, source),
          std::move(config)};
}

// -hip names a ResourceManager where no configuration does. Small clusters often have the NameNode on the same host.
ClusterChoice on_named_host(hconf::Config config, const std::string& host) {
  config.set("yarn.resourcemanager.hostname", host);
  const bool guesses = !config.is_set(kDefaultFs);
  const auto guess = fmt::format("hdfs://{}:8020", host);
  if (guesses) config.set(kDefaultFs, guess);
  auto choice = on_yarn(std::move(config), "-hip");
  if (!guesses) return choice;
  choice.guessed_fs = guess;
  choice.sentence += fmt::format(", HDFS {} (a guess; name it with --default-fs hdfs://HOST:PORT)", guess);
  return choice;
}

}  // namespace

Result<ClusterChoice> choose_cluster(const ClusterRequest& request, const core::Getenv& getenv,
                                     const hconf::ReadFile& read_file) {
  if (request.cluster && !request.cluster->value()) {
    return fail(Errc::usage, fmt::format("--cluster {}: this version of ydl runs jobs on {} only",
                                         request.cluster->name(), fmt::join(core::kClusterTitles, " and on ")));
  }
  if (request.cluster == core::ClusterKind::local) return on_this_machine(request, "--cluster local");
  const auto search = hconf::find_configuration(getenv, read_file);
  hconf::Config config(getenv);
  const auto set_default_fs = [&] {
    if (!request.default_fs.empty()) config.set(kDefaultFs, request.default_fs);
  };
  if (search.found) {
    auto loaded = hconf::load(*search.found, getenv, read_file);
    if (!loaded) return fail(loaded.error());
    config = *std::move(loaded);
    set_default_fs();
    if (hconf::names_resource_manager(config)) return on_yarn(std::move(config), search.found->string());
  }
  if (!request.resource_manager.empty()) {
    set_default_fs();
    return on_named_host(std::move(config), request.resource_manager);
  }
  const auto looked = core::join(search.looked, ", ");
  if (request.cluster == core::ClusterKind::yarn) {
    return fail(Errc::usage, fmt::format("--cluster yarn: no configuration that names a ResourceManager in {}; set "
                                         "HADOOP_CONF_DIR to the folder with yarn-site.xml, or add -hip ADDRESS",
                                         looked));
  }
  return on_this_machine(request, fmt::format("no Hadoop configuration in {}", looked));
}

core::Error with_guess(core::Error error, const ClusterChoice& choice) {
  if (choice.guessed_fs.empty()) return error;
  const auto address = std::string_view(choice.guessed_fs).substr(std::string_view("hdfs://").size());
  if (error.message.find(address) == std::string::npos) return error;
  error.message += fmt::format("; {} is a guess from -hip, name the right one with --default-fs hdfs://HOST:PORT",
                               choice.guessed_fs);
  return error;
}

}  // namespace ydl::client
