// MXNet: the DMLC_* variables of ps-lite. The scheduler they point at is ydl's own.
#include "core/strings.hpp"
#include "framework/framework.hpp"
#include "framework/mxnet_environment.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace ydl::framework {
namespace {

constexpr std::array<std::string_view, 2> kRoles{"worker", "server"};
constexpr std::string_view kStoreOption = "--kv-store";

// MXNet silently takes "sync" for a store of one process. In a distributed job the user means dist_sync.
std::string distributed_store(std::string_view store) {
  return store == "sync" || store == "async" ? fmt::format("dist_{}", store) : std::string(store);
}

std::string store_note(std::string_view store) {
  return fmt::format("{0} {1} was changed to {0} {2}, because MXNet would use '{1}' as a store of one process",
                     kStoreOption, store, distributed_store(store));
}

// Only the command can be checked: ydl does not see which store the script itself names.
bool asks_for_asynchronous_store(const Shape& shape, std::string_view role) {
  return std::ranges::any_of(shape.roles, [&](const Shape::Role& candidate) {
    if (candidate.name != role) return false;
    const auto& words = candidate.command;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const auto value = std::string_view(words[i]).substr(words[i].find('=') + 1);  // the whole word without one
      const bool of_store_option = words[i].starts_with(kStoreOption) || (i > 0 && words[i - 1] == kStoreOption);
      if (value == "dist_async" || (of_store_option && value == "async")) return true;
    }
    return false;
  });
}

// The text between `before` and the first character that cannot belong to it.
std::optional<std::string_view> value_after(std::string_view line, std::string_view before) {
  const auto at = line.find(before);
  if (at == std::string_view::npos) return std::nullopt;
  const auto rest = line.substr(at + before.size());
  const auto value = rest.substr(0, rest.find_first_of(" \t]"));
  if (value.empty()) return std::nullopt;
  return value;
}

std::optional<int> epochs_in(std::span<const std::string> argv) {
  for (std::size_t i = 0; i < argv.size(); ++i) {
    for (const std::string_view option : {"--num-epochs", "--num-epoch"}) {
      if (argv[i] == option && i + 1 < argv.size()) return core::parse_int<int>(argv[i + 1]);
      if (argv[i].starts_with(std::string(option) + "="))
        return core::parse_int<int>(std::string_view(argv[i]).substr(option.size() + 1));
    }
  }
  return std::nullopt;
}

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

  // docs/adr/0010-restart-of-mxnet-workers.md
  RoleTraits traits(const Shape& shape, std::string_view role) const override {
    using core::RestartUnit;
    if (role == "server")
      return {core::RoleKind::service, RestartUnit::gang, "its part of the parameters was lost with the server"};
    if (asks_for_asynchronous_store(shape, role)) return {core::RoleKind::decider, RestartUnit::task};
    return {core::RoleKind::decider, RestartUnit::gang,
            "the servers of a synchronous kvstore cannot tell what a lost worker had pushed"};
  }

  // ps-lite binds the port in PORT, so the scheduler can tell by the port which task registers. This makes the rank of
  // a worker its index.
  int ports(const Shape&, const core::TaskId&) const override { return 1; }
  Tracker tracker() const override { return Tracker::pslite; }

  std::optional<Shape::Role> default_servers(int workers) const override { return Shape::Role{"server", workers}; }

  // ydl is tested with this release.
  std::optional<DefaultEnvironment> default_environment() const override {
    return DefaultEnvironment{"MXNet 1.9.1 (ydl's default)", kMxnetLock};
  }

  std::vector<std::string> correct_arguments(std::vector<std::string>& argv) const override {
    std::vector<std::string> notes;
    for (std::size_t i = 0; i < argv.size(); ++i) {
      const auto joined = std::string(kStoreOption) + "=";
      const bool separate = argv[i] == kStoreOption && i + 1 < argv.size();
      if (!separate && !argv[i].starts_with(joined)) continue;
      auto& word = separate ? argv[i + 1] : argv[i];
      const auto store = separate ? word : word.substr(joined.size());
      if (distributed_store(store) == store) continue;
      notes.push_back(store_note(store));
      word = (separate ? "" : joined) + distributed_store(store);
    }
    return notes;
  }

  // "Epoch[3] Batch [100]	Speed: 12345.67 samples/sec	accuracy=0.97", "Epoch[3] Validation-accuracy=0.98".
  std::optional<LogProgress> read_progress(std::string_view line, std::span<const std::string> argv) const override {
    const auto epoch = core::parse_int<int>(value_after(line, "Epoch[").value_or(""));
    if (!epoch || *epoch < 0) return std::nullopt;
    const auto total = epochs_in(argv);
    LogProgress progress;
    progress.text = total ? fmt::format("epoch {}/{}", *epoch + 1, *total) : fmt::format("epoch {}", *epoch + 1);
    if (const auto speed = value_after(line, "Speed: "))
      progress.text += fmt::format(", {} samples/s", speed->substr(0, speed->find('.')));
    for (const std::string_view metric : {"Validation-accuracy=", "Train-accuracy=", "accuracy="}) {
      if (const auto value = value_after(line, metric)) {
        progress.text += fmt::format(", {}{}",
                                     metric.substr(0, metric.size() - 1) == "accuracy" ? "accuracy "
                                     : metric == "Train-accuracy="                     ? "train accuracy "
                                                                                       : "test accuracy ",
                                     value->substr(0, 6));
        break;
      }
    }
    const bool ended =
        line.find("Time cost") != std::string_view::npos || line.find("Validation-") != std::string_view::npos;
    if (total && *total > 0) progress.fraction = std::clamp((*epoch + (ended ? 1.0 : 0.0)) / *total, 0.0, 1.0);
    return progress;
  }

  Environment environment(const Gang& gang, const core::TaskId& task) const override {
    const auto& member = gang.member(task);
    return {
        {"DMLC_ROLE", task.role},
        {"DMLC_NUM_WORKER", std::to_string(gang.count("worker"))},
        {"DMLC_NUM_SERVER", std::to_string(gang.count("server"))},
        {"DMLC_PS_ROOT_URI", gang.scheduler_host},
        {"DMLC_PS_ROOT_PORT", std::to_string(gang.scheduler_port)},
        {"DMLC_NODE_HOST", member.host},
        {"PORT", std::to_string(member.ports.at(0))},
        // What scripts for dmlc's launchers read: workers first, then servers.
        {"DMLC_TASK_ID", std::to_string(gang.index(task) + (task.role == "server" ? gang.count("worker") : 0))},
        {task.role == "server" ? "DMLC_SERVER_ID" : "DMLC_WORKER_ID", std::to_string(gang.index(task))},
    };
  }
};

}  // namespace

const Framework& mxnet() {
  static const MxNet instance;
  return instance;
}

}  // namespace ydl::framework
