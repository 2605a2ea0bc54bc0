// Any command. It may find its peers in YDL_TASKS_JSON.
#include "framework/framework.hpp"

#include <algorithm>
#include <array>

namespace ydl::framework {
namespace {

class None final : public Framework {
 public:
  std::string_view name() const override { return "none"; }
  std::string_view summary() const override { return "any command; peers are in YDL_TASKS_JSON"; }
  bool uses_gpus() const override { return false; }

  // The kind of a role follows from well-known names; all other roles are deciders. `kind` in the job file overrides
  // it.
  RoleTraits traits(const Shape&, std::string_view role) const override {
    static constexpr std::array<std::string_view, 3> kServices{"ps", "server", "scheduler"};
    static constexpr std::array<std::string_view, 3> kSides{"side", "monitor", "tensorboard"};
    if (role == "evaluator") return {core::RoleKind::evaluator};
    if (std::ranges::find(kServices, role) != kServices.end()) return {core::RoleKind::service};
    if (std::ranges::find(kSides, role) != kSides.end()) return {core::RoleKind::side};
    return {};
  }

  // One port for each task is harmless if it is not used. A job that needs more sets `ports` in the job file.
  int ports(const Shape&, const core::TaskId&) const override { return 1; }

  Environment environment(const Gang&, const core::TaskId&) const override { return {}; }
};

}  // namespace

const Framework& none() {
  static const None instance;
  return instance;
}

}  // namespace ydl::framework
