// `ydl doctor` on a Hadoop cluster.
#include "backend/yarn/remote_files.hpp"
#include "cli/commands/doctor.hpp"
#include "client/yarn/cluster_client.hpp"
#include "core/strings.hpp"
#include "hconf/services.hpp"
#include "hrpc/sasl/ticket_cache.hpp"
#include "net/wait_for.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

#include <fmt/format.h>

namespace ydl::cli {
namespace {

using Findings = std::vector<Finding>;

constexpr core::Millis kMostSkew = core::Seconds(60);  // Kerberos bears five minutes, people reading logs less

Finding check_ticket(const hconf::Config& config) {
  if (config.get_trimmed("hadoop.security.authentication") != "kerberos")
    return {Verdict::limited, "security", "no Kerberos: anyone can act as any user"};
  const auto ticket = hrpc::sasl::read_ticket_cache({});
  if (!ticket) return {Verdict::broken, "Kerberos", ticket.error().message};
  if (auto usable = hrpc::sasl::check_ticket(*ticket, core::wall_now()); !usable)
    return {Verdict::broken, "Kerberos", usable.error().message};
  return {Verdict::good, "Kerberos",
          fmt::format("{} in {}{}", ticket->principal, ticket->cache,
                      ticket->ends ? ", until " + core::format_utc(*ticket->ends) : "")};
}

// A file of ours tells whether we may write, and what time it is there.
net::awaitable<void> check_hdfs(client::ClusterClient& cluster, Findings& findings) {
  const auto path = cluster.root + "/.doctor";
  const auto before = core::wall_now();
  if (auto written = co_await backend::write_remote_file(*cluster.fs, path, "probe"); !written) {
    findings.push_back({Verdict::broken, "HDFS", written.error().message});
    co_return;
  }
  const auto status = co_await cluster.fs->stat(path);
  const auto after = core::wall_now();
  (void)co_await cluster.fs->remove(path, hdfs::Recursive::no);
  findings.push_back({Verdict::good, "HDFS", fmt::format("{}{} can be written", cluster.url_prefix, cluster.root)});
  if (!status || !*status) co_return;
  const auto there = (*status)->modified;
  const auto skew = there < before ? before - there : there > after ? there - after : core::Millis(0);
  findings.push_back(
      {skew > kMostSkew ? Verdict::limited : Verdict::good, "clock",
       skew > kMostSkew ? fmt::format("differs from the NameNode's by {}; set both by NTP", core::format_duration(skew))
                        : "agrees with the NameNode's within a minute"});
}

void leaf_queues(const yarn::QueueInfo& queue, std::vector<std::string>& texts) {
  for (const auto& child : queue.children) leaf_queues(child, texts);
  if (!queue.children.empty()) return;
  texts.push_back(fmt::format("{} ({}% used{})", queue.path.empty() ? queue.name : queue.path,
                              static_cast<int>(queue.used_capacity * 100),
                              queue.state == yarn::QueueState::running ? "" : ", stopped"));
}

net::awaitable<void> check_yarn(client::ClusterClient& cluster, Findings& findings) {
  const auto metrics = co_await cluster.rm->metrics();
  if (!metrics) {
    findings.push_back({Verdict::broken, "YARN", metrics.error().message});
    co_return;
  }
  findings.push_back({metrics->active > 0 ? Verdict::good : Verdict::broken, "YARN",
                      fmt::format("{} of {} run{}", metrics->active, core::plural(metrics->nodes, "node"),
                                  metrics->active > 0 ? "" : "; no job can start")});
  if (const auto application = co_await cluster.rm->new_application())
    findings.push_back({Verdict::good, "containers", fmt::format("at most {} each", to_string(application->maximum))});
  if (const auto root = co_await cluster.rm->queue("root")) {
    std::vector<std::string> queues;
    leaf_queues(*root, queues);
    findings.push_back({Verdict::good, "queues", core::join(queues, ", ")});
  }
  const auto labels = co_await cluster.rm->node_labels();
  std::vector<std::string> names;
  if (labels) {
    for (const auto& label : *labels) names.push_back(label.name);
  }
  findings.push_back({Verdict::good, "labels", names.empty() ? "none" : core::join(names, ", ")});
}

// What NodeManagers do is in their own configuration; that of this machine is often the same.
void check_nodes(const hconf::Config& config, Findings& findings) {
  const auto executor = config.get_trimmed("yarn.nodemanager.container-executor.class");
  if (executor.find("LinuxContainerExecutor") == std::string::npos) {
    findings.push_back(
        {Verdict::limited, "OS user",
         "all jobs of all users run as the NodeManager's user (DefaultContainerExecutor), so they can read "
         "each other's files and secrets"});
  } else if (config.get_trimmed("hadoop.security.authentication") != "kerberos" &&
             config.get_bool("yarn.nodemanager.linux-container-executor.nonsecure-mode.limit-users")) {
    findings.push_back(
        {Verdict::limited, "OS user",
         fmt::format("all jobs of all users run as {} (LinuxContainerExecutor without Kerberos), so they can read each "
                     "other's files and secrets",
                     config.get_trimmed("yarn.nodemanager.linux-container-executor.nonsecure-mode.local-user"))});
  } else {
    findings.push_back({Verdict::good, "OS user", "each job runs as its own user (LinuxContainerExecutor)"});
  }
  const auto runtimes = config.get_trimmed("yarn.nodemanager.runtime.linux.allowed-runtimes");
  const bool docker = runtimes.find("docker") != std::string::npos;
  findings.push_back({docker ? Verdict::good : Verdict::limited, "images",
                      docker ? "NodeManagers run Docker images"
                             : "Docker images are not allowed by this configuration "
                               "(yarn.nodemanager.runtime.linux.allowed-runtimes)"});
  const auto ratio = config.get_trimmed("yarn.nodemanager.vmem-pmem-ratio");
  if (config.get_bool("yarn.nodemanager.vmem-check-enabled")) {
    findings.push_back({Verdict::limited, "address space",
                        fmt::format("tasks that map more than {} times their memory are killed, which frameworks with "
                                    "GPUs do; set yarn.nodemanager.vmem-check-enabled to false",
                                    ratio)});
  } else {
    findings.push_back({Verdict::good, "address space", "not limited"});
  }
}

net::Async<> look(client::ClusterClient& cluster, Findings& findings) {
  co_await check_hdfs(cluster, findings);
  co_await check_yarn(cluster, findings);
  cluster.close();
  co_return core::Result<>{};
}

}  // namespace

Findings examine_cluster(const hconf::Config& config) {
  Findings findings{check_ticket(config)};
  if (findings.back().verdict == Verdict::broken) return findings;
  net::asio::io_context context(1);
  auto cluster = client::open_cluster(context.get_executor(), config);
  if (!cluster) {
    findings.push_back({Verdict::broken, "configuration", cluster.error().message});
    return findings;
  }
  if (auto looked = net::wait_for(context, look(*cluster, findings)); !looked)
    findings.push_back({Verdict::broken, "cluster", looked.error().message});
  check_nodes(config, findings);
  std::ranges::move(explain_times(config), std::back_inserter(findings));
  return findings;
}

}  // namespace ydl::cli
