// PyTorch: torch.distributed with init_method env://, and the variables that torchrun sets.
//
// Each task is a node of its own with one process, so LOCAL_RANK is always 0 and LOCAL_WORLD_SIZE always 1. A task sees
// only the GPUs that were assigned to it, so torch.cuda.set_device(LOCAL_RANK) is right on any host, also if two tasks
// share the host.
#include "framework/framework.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace ydl::framework {
namespace {

constexpr std::array<std::string_view, 3> kRoles{"master", "worker", "evaluator"};

// The master, if the job has one, has rank 0; the workers follow.
int rank_of(int masters, std::string_view role, int index) {
  return role == "master" ? 0 : masters + index;
}

class PyTorch final : public Framework {
 public:
  std::string_view name() const override { return "pytorch"; }
  std::string_view summary() const override { return "torch.distributed, init_method env://"; }
  std::span<const std::string_view> roles() const override { return kRoles; }

  core::Result<void> validate(const Shape& shape) const override {
    if (shape.count("master") > 1) {
      return core::fail(
          core::Errc::usage,
          fmt::format("pytorch takes at most one master, which has rank 0, not {}; make the others workers",
                      shape.count("master")));
    }
    if (shape.count("master") + shape.count("worker") == 0) {
      return core::fail(core::Errc::usage, "pytorch needs at least one worker: --role worker=N");
    }
    return {};
  }

  RoleTraits traits(const Shape&, std::string_view role) const override {
    if (role == "evaluator") return {core::RoleKind::evaluator, core::RestartUnit::task};
    return {core::RoleKind::decider, core::RestartUnit::gang,
            "the others cannot continue without it, because their collective operations wait for all tasks"};
  }

  int ports(const Shape& shape, const core::TaskId& task) const override {
    if (task.role == "evaluator") return 0;
    const int masters = shape.count("master");
    // Another worker may be the first one after each start.
    if (masters == 0 && shape.is_elastic(task.role)) return 1;
    return rank_of(masters, task.role, task.index) == 0 ? 1 : 0;
  }

  Environment environment(const Gang& gang, const core::TaskId& task) const override {
    Environment env{{"OMP_NUM_THREADS", std::to_string(gang.member(task).vcores)}};
    if (task.role == "evaluator") return env;
    const int masters = gang.count("master");
    const auto& first = gang.first(masters > 0 ? "master" : "worker");
    const int index = gang.index(task);
    const auto rank = std::to_string(rank_of(masters, task.role, index));
    const auto size = std::to_string(masters + gang.count("worker"));
    env.insert({{"MASTER_ADDR", first.host},
                {"MASTER_PORT", std::to_string(first.ports.at(0))},
                {"RANK", rank},
                {"WORLD_SIZE", size},
                {"LOCAL_RANK", "0"},
                {"LOCAL_WORLD_SIZE", "1"},
                {"GROUP_RANK", rank},
                {"GROUP_WORLD_SIZE", size},
                {"NODE_RANK", rank},
                {"ROLE_NAME", task.role},
                {"ROLE_RANK", std::to_string(index)},
                {"ROLE_WORLD_SIZE", std::to_string(gang.count(task.role))},
                {"TORCHELASTIC_RUN_ID", gang.job_id},
                {"TORCHELASTIC_RESTART_COUNT", std::to_string(gang.start - 1)},
                {"TORCHELASTIC_MAX_RESTARTS", std::to_string(gang.max_starts - 1)}});
    return env;
  }
};

}  // namespace

const Framework& pytorch() {
  static const PyTorch instance;
  return instance;
}

}  // namespace ydl::framework
