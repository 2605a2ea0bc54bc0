// TensorFlow: TF_CONFIG, as TFConfigClusterResolver and tf.estimator read it.
//
// A job with ps uses ParameterServerStrategy: the chief controls the job, and workers and ps are servers that do not
// end by themselves. With tf.estimator the chief computes too, so that it needs no workers beside the ps. A job without
// ps uses MultiWorkerMirroredStrategy: chief and workers are peers, and worker 0 leads if there is no chief. An
// evaluator is not part of the cluster of the others.
#include "framework/framework.hpp"
#include "framework/tensorflow_environment.hpp"

#include <array>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace ydl::framework {
namespace {

constexpr std::array<std::string_view, 4> kRoles{"chief", "worker", "ps", "evaluator"};

// The space of one task in TF_CONFIG: a quoted "host:port" and a comma. The hosts are not known when the job is
// checked, and few clusters have longer names than kAssumedHost.
constexpr std::size_t kAssumedHost = 64;
constexpr std::size_t kTaskInConfig = kAssumedHost + std::string_view(R"(":65535",)").size();
constexpr std::size_t kRestOfConfig = 256;  // names of roles, and the task's own part
constexpr int kMostTasks = static_cast<int>((kLongestVariable - kRestOfConfig) / kTaskInConfig);

core::Result<void> refuse(std::string sentence) {
  return core::fail(core::Errc::usage, std::move(sentence));
}

class TensorFlow final : public Framework {
 public:
  std::string_view name() const override { return "tensorflow"; }
  std::string_view summary() const override { return "TF_CONFIG with chief, worker, ps, evaluator"; }
  std::span<const std::string_view> roles() const override { return kRoles; }
  std::optional<DefaultEnvironment> buildable_environment() const override {
    return DefaultEnvironment{"TensorFlow 2.15.1 (ydl's own list)", kTensorflowLock};
  }

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
    if (const int all = chiefs + workers + servers; all > kMostTasks) {
      return refuse(
          fmt::format("a tensorflow job of {} tasks cannot start: TF_CONFIG names all tasks, and the kernel limits a "
                      "variable to 128 KiB; with host names of {} bytes the most is {} tasks",
                      all, kAssumedHost, kMostTasks));
    }
    return {};
  }

  RoleTraits traits(const Shape& shape, std::string_view role) const override {
    using core::RestartUnit;
    using core::RoleKind;
    const bool parameter_server = shape.count("ps") > 0;
    if (role == "evaluator") return {RoleKind::evaluator, RestartUnit::task};
    if (role == "ps") return {RoleKind::service, RestartUnit::gang, "its part of the variables is lost with the ps"};
    if (role == "worker" && parameter_server)
      return {RoleKind::service, RestartUnit::task_in_place, "the chief calls it at the address it started with"};
    if (parameter_server)
      return {RoleKind::decider, RestartUnit::gang,
              "workers and ps cannot continue without the chief, which controls them"};
    return {RoleKind::decider, RestartUnit::gang,
            "the others cannot continue without it, because their collective operations wait for all tasks"};
  }

  int ports(const Shape&, const core::TaskId& task) const override { return task.role == "evaluator" ? 0 : 1; }

  Environment beginnings(const Gang& gang) const override {
    boost::json::object cluster;
    for (const auto& member : gang.members) {
      if (member.id.role == "evaluator" || !has_role(*this, member.id.role)) continue;
      auto& list = cluster[member.id.role];
      if (!list.is_array()) list.emplace_array();
      list.as_array().push_back(boost::json::string(address(member)));
    }
    return {{"TF_CONFIG", fmt::format(R"({{"cluster":{},)", boost::json::serialize(cluster))}};
  }

  Environment environment(const Gang& gang, const core::TaskId& task) const override {
    const boost::json::object self{{"type", task.role}, {"index", gang.index(task)}};
    return {{"TF_CONFIG", fmt::format(R"("task":{}}})", boost::json::serialize(self))}};
  }
};

}  // namespace

const Framework& tensorflow() {
  static const TensorFlow instance;
  return instance;
}

}  // namespace ydl::framework
