#include "master/host_gpus.hpp"

#include <algorithm>

namespace ydl::master {

protocol::HostGpus host_gpus(const JobPlan& plan, core::ClusterKind cluster, const core::AttemptId& attempt) {
  const bool asked_for = std::ranges::any_of(plan.roles, [](const RoleLaunch& role) { return role.gpus > 0; });
  if (asked_for) return protocol::HostGpus::hidden;
  if (cluster == core::ClusterKind::local) return protocol::HostGpus::visible;
  const bool is_first = attempt.task == core::TaskId{plan.roles.front().name, 0} && attempt.attempt == 1;
  return is_first && plan.framework->uses_gpus() ? protocol::HostGpus::hidden_with_note : protocol::HostGpus::hidden;
}

}  // namespace ydl::master
