// MXNet: the DMLC_* variables of ps-lite. The scheduler they point at is part of ydl's master; workers and servers
// choose and register their own ports.
#include "framework/framework.hpp"

#include <array>

namespace ydl::framework {
namespace {

constexpr std::array<std::string_view, 2> kRoles{"worker", "server"};

class MxNet final : public Framework {
 public:
  std::string_view name() const override { return "mxnet"; }
  std::string_view summary() const override { return "kvstore dist_* over ps-lite, with ydl's own scheduler"; }
  std::span<const std::string_view> roles() const override { return kRoles; }

  core::Result<void> validate(const Shape& shape) const override {
    if (shape.count("worker") == 0) return core::fail(core::Errc::usage, "mxnet needs at least one worker: --n N");
    if (shape.count("server") == 0) {
      return core::fail(core::Errc::usage, "mxnet needs at least one server to hold the parameters: --s N");
    }
    return {};
  }

  RoleTraits traits(const Shape&, std::string_view role) const override {
    // A server takes its part of the parameters with it; a worker can be taken back by ps-lite.
    if (role == "server") return {core::RoleKind::service, core::RestartUnit::gang};
    return {core::RoleKind::decider, core::RestartUnit::task};
  }

  int ports(const Shape&, const core::TaskId&) const override { return 0; }
  bool needs_scheduler() const override { return true; }

  Environment environment(const Gang& gang, const core::TaskId& task) const override {
    return {
        {"DMLC_ROLE", task.role},
        {"DMLC_NUM_WORKER", std::to_string(gang.count("worker"))},
        {"DMLC_NUM_SERVER", std::to_string(gang.count("server"))},
        {"DMLC_PS_ROOT_URI", gang.scheduler_host},
        {"DMLC_PS_ROOT_PORT", std::to_string(gang.scheduler_port)},
        {"DMLC_NODE_HOST", gang.member(task).host},
        {task.role == "server" ? "DMLC_SERVER_ID" : "DMLC_WORKER_ID", std::to_string(task.index)},
    };
  }
};

}  // namespace

const Framework& mxnet() {
  static const MxNet instance;
  return instance;
}

}  // namespace ydl::framework
