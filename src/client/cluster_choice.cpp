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
              fmt::format("{} only {} sense on a cluster, and the job would run on this machine ({}): leave {} out",
                          core::join(request.cluster_only, ", "), one ? "makes" : "make", why, one ? "it" : "them"));
}

// -hip names a ResourceManager where no configuration does; the NameNode is looked for beside it.
void set_resource_manager(hconf::Config& config, const std::string& host) {
  config.set("yarn.resourcemanager.hostname", host);
  if (!config.is_set("fs.defaultFS")) config.set("fs.defaultFS", fmt::format("hdfs://{}:8020", host));
}

ClusterChoice on_yarn(hconf::Config config, std::string_view who_says) {
  const auto managers = hconf::resource_managers(config);
  const auto address = managers ? to_string(managers->front().client) : "?";
  return {core::ClusterKind::yarn, fmt::format("runs on YARN, ResourceManager {}: {} says so", address, who_says),
          std::move(config)};
}

}  // namespace

Result<ClusterChoice> choose_cluster(const ClusterRequest& request, const core::Getenv& getenv,
                                     const hconf::ReadFile& read_file) {
  if (request.cluster && !request.cluster->value()) {
    return fail(Errc::usage, fmt::format("--cluster {}: this version of ydl runs jobs on this machine and on YARN only",
                                         request.cluster->name()));
  }
  if (request.cluster == core::ClusterKind::local) return on_this_machine(request, "--cluster local");
  const auto search = hconf::find_configuration(getenv, read_file);
  hconf::Config config(getenv);
  if (search.found) {
    auto loaded = hconf::load(*search.found, getenv, read_file);
    if (!loaded) return fail(loaded.error());
    config = *std::move(loaded);
    if (hconf::names_resource_manager(config)) return on_yarn(std::move(config), search.found->string());
  }
  if (!request.resource_manager.empty()) {
    set_resource_manager(config, request.resource_manager);
    return on_yarn(std::move(config), "-hip");
  }
  const auto looked = core::join(search.looked, ", ");
  if (request.cluster == core::ClusterKind::yarn) {
    return fail(Errc::usage, fmt::format("--cluster yarn: no configuration that names a ResourceManager in {}; set "
                                         "HADOOP_CONF_DIR to the folder that holds yarn-site.xml",
                                         looked));
  }
  return on_this_machine(request, fmt::format("no Hadoop configuration in {}", looked));
}

}  // namespace ydl::client
