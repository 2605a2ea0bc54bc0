// TensorFlow: TF_CONFIG, as TFConfigClusterResolver and tf.estimator read it.
//
// With ps the job is a ParameterServerStrategy one: the chief drives, workers and ps are servers that never end by
// themselves. Without ps it is MultiWorkerMirroredStrategy: chief and workers are peers, and worker 0 leads where there
// is no chief. An evaluator is never in the others' cluster.
#include "framework/framework.hpp"

#include <array>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace ydl::framework {
namespace {

constexpr std::array<std::string_view, 4> kRoles{"chief", "worker", "ps", "evaluator"};

core::Result<void> refuse(std::string sentence) {
  return core::fail(core::Errc::usage, std::move(sentence));
}

class TensorFlow final : public Framework {
 public:
  std::string_view name() const override { return "tensorflow"; }
  std::string_view summary() const override { return "TF_CONFIG with chief, worker, ps, evaluator"; }
  std::span<const std::string_view> roles() const override { return kRoles; }

  core::Result<void> validate(const Shape& shape) const override {
    const int chiefs = shape.count("chief");
    const int workers = shape.count("worker");
    const int servers = shape.count("ps");
    if (chiefs > 1)
      return refuse(fmt::format("tensorflow takes at most one chief, not {}; make the others workers", chiefs));
    if (shape.count("evaluator") > 1) return refuse("tensorflow takes at most one evaluator");
    if (chiefs + workers == 0) return refuse("tensorflow needs a chief or workers: --role chief=1 or --role worker=N");
    if (servers > 0 && chiefs == 0) {
      return refuse(
          "a tensorflow job with ps needs a chief, which drives the parameter-server strategy: add --role chief=1");
    }
    if (servers > 0 && workers == 0) {
      return refuse(
          "a tensorflow job with ps needs workers, which compute for the parameter-server strategy: add --role "
          "worker=N");
    }
    return {};
  }

  RoleTraits traits(const Shape& shape, std::string_view role) const override {
    using core::RestartUnit;
    using core::RoleKind;
    const bool parameter_server = shape.count("ps") > 0;
    if (role == "evaluator") return {RoleKind::evaluator, RestartUnit::task};
    if (role == "ps") return {RoleKind::service, RestartUnit::gang};  // its part of the model is lost with it
    if (role == "worker" && parameter_server) return {RoleKind::service, RestartUnit::task};
    return {RoleKind::decider, RestartUnit::gang};
  }

  int ports(const Shape&, const core::TaskId& task) const override { return task.role == "evaluator" ? 0 : 1; }

  Environment environment(const Gang& gang, const core::TaskId& task) const override {
    boost::json::object cluster;
    for (const auto& member : gang.members) {
      if (member.id.role == "evaluator") continue;
      auto& list = cluster[member.id.role];
      if (!list.is_array()) list.emplace_array();
      list.as_array().push_back(boost::json::string(address(member)));
    }
    const boost::json::object config{{"cluster", std::move(cluster)},
                                     {"task", {{"type", task.role}, {"index", task.index}}}};
    return {{"TF_CONFIG", boost::json::serialize(config)}};
  }
};

}  // namespace

const Framework& tensorflow() {
  static const TensorFlow instance;
  return instance;
}

}  // namespace ydl::framework
