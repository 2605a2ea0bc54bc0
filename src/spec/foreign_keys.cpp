#include "spec/foreign_keys.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace ydl::spec {
namespace {

enum class Level { job, role, resources };

struct ForeignKey {
  Level level;
  std::string_view key;
  std::string_view ours;
};

constexpr std::array kForeignKeys{
    ForeignKey{Level::job, "services", "roles: {worker: {count: 2}}"},
    ForeignKey{Level::job, "task_specs", "roles: {worker: {count: 2}}"},
    ForeignKey{Level::job, "workers", "roles: {worker: {count: 2}}"},
    ForeignKey{Level::job, "instances", "count in a role"},
    ForeignKey{Level::job, "replicas", "count in a role"},
    ForeignKey{Level::job, "count", "count in a role"},
    ForeignKey{Level::job, "resources", "resources in a role"},
    ForeignKey{Level::job, "memory", "resources: {memory: 2g} in a role"},
    ForeignKey{Level::job, "vcores", "resources: {vcores: 1} in a role"},
    ForeignKey{Level::job, "gpus", "resources: {gpus: 1} in a role"},
    ForeignKey{Level::job, "node_label", "resources: {label: NAME} in a role"},
    ForeignKey{Level::job, "nodeSelector", "resources: {label: NAME} in a role"},
    ForeignKey{Level::job, "script", "command"},
    ForeignKey{Level::job, "commands", "command"},
    ForeignKey{Level::job, "environment", "env"},
    ForeignKey{Level::job, "acls", "acl"},
    ForeignKey{Level::job, "master", "am_resources: {memory: 512m}"},
    ForeignKey{Level::job, "max_attempts", "job_retries"},
    ForeignKey{Level::job, "backoffLimit", "retries"},
    ForeignKey{Level::job, "file_systems", "name_nodes"},
    ForeignKey{Level::job, "pyenv_zip_path", "python_env"},
    ForeignKey{Level::job, "docker_image", "image"},
    ForeignKey{Level::role, "instances", "count"},
    ForeignKey{Level::role, "replicas", "count"},
    ForeignKey{Level::role, "nb_instances", "count"},
    ForeignKey{Level::role, "memory", "resources: {memory: 2g}"},
    ForeignKey{Level::role, "vcores", "resources: {vcores: 1}"},
    ForeignKey{Level::role, "cores", "resources: {vcores: 1}"},
    ForeignKey{Level::role, "cpu", "resources: {vcores: 1}"},
    ForeignKey{Level::role, "gpus", "resources: {gpus: 1}"},
    ForeignKey{Level::role, "gpu", "resources: {gpus: 1}"},
    ForeignKey{Level::role, "label", "resources: {label: NAME}"},
    ForeignKey{Level::role, "node_label", "resources: {label: NAME}"},
    ForeignKey{Level::role, "nodeSelector", "resources: {label: NAME}"},
    ForeignKey{Level::role, "nodes", "resources: {hosts: [node1]}"},
    ForeignKey{Level::role, "hosts", "resources: {hosts: [node1]}"},
    ForeignKey{Level::role, "racks", "resources: {racks: [/rack1]}"},
    ForeignKey{Level::role, "script", "command"},
    ForeignKey{Level::role, "commands", "command"},
    ForeignKey{Level::role, "args", "command"},
    ForeignKey{Level::role, "environment", "env"},
    ForeignKey{Level::role, "max_restarts", "retries"},
    ForeignKey{Level::role, "max_attempts", "retries"},
    ForeignKey{Level::role, "restartPolicy", "retries"},
    ForeignKey{Level::role, "files", "files at the top of the job file"},
    ForeignKey{Level::role, "image", "image at the top of the job file"},
    ForeignKey{Level::resources, "mem", "memory"},
    ForeignKey{Level::resources, "cpu", "vcores"},
    ForeignKey{Level::resources, "cpus", "vcores"},
    ForeignKey{Level::resources, "cores", "vcores"},
    ForeignKey{Level::resources, "gpu", "gpus"},
    ForeignKey{Level::resources, "nvidia.com/gpu", "gpus"},
    ForeignKey{Level::resources, "yarn.io/gpu", "gpus"},
    ForeignKey{Level::resources, "node_label", "label"},
    ForeignKey{Level::resources, "nodes", "hosts"},
    ForeignKey{Level::resources, "limits", "the amounts here, for example {memory: 2g, vcores: 1}"},
    ForeignKey{Level::resources, "requests", "the amounts here, for example {memory: 2g, vcores: 1}"},
};

}  // namespace

std::string foreign_key_hint(std::string_view place, std::string_view key) {
  const auto is_here = [&](Level level) {
    switch (level) {
      case Level::job:
        return place.empty();
      case Level::role:
        return place.starts_with("role ");
      case Level::resources:
        return place.starts_with("resources of ");
    }
    return false;
  };
  const auto* found =
      std::ranges::find_if(kForeignKeys, [&](const ForeignKey& one) { return one.key == key && is_here(one.level); });
  return found == kForeignKeys.end() ? std::string() : fmt::format("; write {}", found->ours);
}

}  // namespace ydl::spec
