// JAX: one process per task; process 0 hosts the coordinator.
//
// jax.distributed.initialize() reads no rank and no size from the environment, so a job passes ours, in one line:
//
//   jax.distributed.initialize(os.environ["YDL_COORDINATOR"], int(os.environ["YDL_NUM_PROCESSES"]),
//                              int(os.environ["YDL_PROCESS_ID"]))
#include "framework/framework.hpp"

#include <array>

namespace ydl::framework {
namespace {

constexpr std::array<std::string_view, 1> kRoles{"worker"};

class Jax final : public Framework {
 public:
  std::string_view name() const override { return "jax"; }
  std::string_view summary() const override {
    return "jax.distributed with YDL_COORDINATOR, YDL_NUM_PROCESSES, YDL_PROCESS_ID";
  }
  std::span<const std::string_view> roles() const override { return kRoles; }

  RoleTraits traits(const Shape&, std::string_view) const override {
    return {core::RoleKind::decider, core::RestartUnit::gang,
            "the others cannot continue without it, because their collective operations wait for all tasks"};
  }

  // In an elastic role another worker may be the first one after each start.
  int ports(const Shape& shape, const core::TaskId& task) const override {
    return task.index == 0 || shape.is_elastic(task.role) ? 1 : 0;
  }

  Environment environment(const Gang& gang, const core::TaskId& task) const override {
    const auto coordinator = address(gang.first("worker"));
    return {
        {"YDL_COORDINATOR", coordinator},
        {"YDL_NUM_PROCESSES", std::to_string(gang.count("worker"))},
        {"YDL_PROCESS_ID", std::to_string(gang.index(task))},
        {"JAX_COORDINATOR_ADDRESS", coordinator},
    };
  }
};

}  // namespace

const Framework& jax() {
  static const Jax instance;
  return instance;
}

}  // namespace ydl::framework
