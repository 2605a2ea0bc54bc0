#include "backend/yarn/container_end.hpp"

#include "core/strings.hpp"
#include "yarn/diagnostics.hpp"
#include "yarn/exit_status.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <optional>

#include <fmt/format.h>

namespace ydl::backend {

std::string image_hint(const yarn::ImageRuntime& image, int exit_status) {
  constexpr int kNoSuchProgram = 127;
  if (image.start == yarn::ImageRuntime::Start::script) {
    if (exit_status != kNoSuchProgram) return "";
    return fmt::format(
        ": the NodeManager starts an image with bash, which {} may not contain; set image_entry_point: true in the job "
        "file to start it without bash",
        image.image);
  }
  if (exit_status != 0) return "";
  return fmt::format(": the entry point of {} does not run its arguments; leave image_entry_point out", image.image);
}

namespace {

std::string sentence(const AssignedContainer& assigned, const yarn::ContainerStatus& status) {
  auto text = fmt::format("its container on {} ended: {}", assigned.container.node.host,
                          yarn::describe_exit(status.exit_status));
  if (const auto words = yarn::shorten_diagnostics(status.diagnostics); !words.empty())
    text += fmt::format(" ({})", words);
  return text;
}

// "Current usage: 617.8 MB of 256 MB physical memory used; 4.0 GB of 2.5 GB virtual memory used": with `kind`
// "physical" 617.8 MB and 256 MB.
std::optional<std::pair<std::string_view, std::string_view>> usage(std::string_view diagnostics,
                                                                   std::string_view kind) {
  const auto end = diagnostics.find(fmt::format(" {} memory used", kind));
  if (end == std::string_view::npos) return std::nullopt;
  auto words = diagnostics.substr(0, end);
  words.remove_prefix(words.find_last_of(":;") + 1);  // 0 if there is none
  const auto of = words.find(" of ");
  if (of == std::string_view::npos) return std::nullopt;
  return std::pair{core::trim(words.substr(0, of)), core::trim(words.substr(of + 4))};
}

job::ExitStatus killed_for_memory(const AssignedContainer& assigned, yarn::ExitCause cause,
                                  std::string_view diagnostics) {
  job::ExitStatus exit;
  exit.signal = SIGKILL;
  exit.cause = job::Cause::memory;
  exit.memory_limit = static_cast<std::uint64_t>(assigned.container.resource.memory_mib) << 20U;
  exit.out_of_memory = cause == yarn::ExitCause::memory;
  if (const auto used = usage(diagnostics, "physical")) {
    exit.peak_memory = core::parse_bytes(used->first).value_or(0);
  }
  if (exit.out_of_memory) {
    exit.killer = "its NodeManager because it used too much memory";
    return exit;
  }
  const auto mapped = usage(diagnostics, "virtual");
  exit.killer = fmt::format(
      "its NodeManager because it used too much virtual memory{}: request more memory, or ask the administrator to set "
      "yarn.nodemanager.vmem-check-enabled to false",
      mapped ? fmt::format(" ({} of {})", core::printable(mapped->first), core::printable(mapped->second)) : "");
  return exit;
}

job::ExitStatus killed_for_logs() {
  job::ExitStatus exit;
  exit.signal = SIGKILL;
  exit.cause = job::Cause::signal;
  exit.killer =
      "its NodeManager because its logs are too large: write less to them, or ask the administrator to raise "
      "yarn.nodemanager.container-log-monitor.dir-size-limit-bytes and "
      "yarn.nodemanager.container-log-monitor.total-size-limit-bytes";
  return exit;
}

// If the NodeManager killed the task for something that the task did: its exit status. Nothing for other ends.
std::optional<job::ExitStatus> own_fault(const AssignedContainer& assigned, yarn::ExitCause cause,
                                         std::string_view diagnostics) {
  using yarn::ExitCause;
  if (assigned.phase != Phase::launched) return std::nullopt;  // the agent was killed, not the task
  if (cause == ExitCause::memory || cause == ExitCause::virtual_memory)
    return killed_for_memory(assigned, cause, diagnostics);
  if (cause == ExitCause::logs) return killed_for_logs();
  return std::nullopt;
}

// The ResourceManager has one exit status for all containers that it ends itself. Only the text tells the causes apart.
job::Cause cause_of_abort(std::string_view diagnostics, std::optional<yarn::NodeState> node) {
  const auto mentions = [&](std::string_view words) { return diagnostics.find(words) != std::string_view::npos; };
  if (mentions("released by application")) return job::Cause::stopped;
  for (const auto* words : {"completed application", "expired", "reservation no longer required"}) {
    if (mentions(words)) return job::Cause::cluster;
  }
  using yarn::NodeState;
  if (node == NodeState::decommissioned || node == NodeState::decommissioning) return job::Cause::decommissioned;
  return job::Cause::host_lost;  // "on a *lost* node"
}

// A NodeManager without a usable disk ends a container with code -1 and this text.
constexpr std::string_view kNoRoom = "No space available in any of the local directories";

// The texts of a NodeManager for downloads that failed because of HDFS, not because of the file or the host.
bool is_hdfs_away(std::string_view diagnostics) {
  constexpr auto kExceptions =
      std::to_array<std::string_view>({"ConnectException", "ConnectTimeoutException", "SocketTimeoutException",
                                       "NoRouteToHostException", "SafeModeException", "StandbyException"});
  return std::ranges::any_of(kExceptions, [&](auto name) { return diagnostics.contains(name); });
}

// If a container ends without a report of its agent, the agent ended with it.
job::Cause cause_of(yarn::ExitCause cause, std::string_view diagnostics, std::optional<yarn::NodeState> node) {
  using yarn::ExitCause;
  switch (cause) {
    case ExitCause::succeeded:
    case ExitCause::failed:
    case ExitCause::signalled:
      return diagnostics.contains(kNoRoom) ? job::Cause::disk : job::Cause::agent_lost;
    case ExitCause::released:
      return cause_of_abort(diagnostics, node);
    case ExitCause::bad_disk:
      return job::Cause::disk;
    case ExitCause::preempted:
      return job::Cause::preempted;
    case ExitCause::virtual_memory:
    case ExitCause::memory:
      return job::Cause::memory;
    case ExitCause::stopped:
      return job::Cause::stopped;
    case ExitCause::cluster:
      return job::Cause::cluster;
    case ExitCause::logs:
      return job::Cause::signal;
    case ExitCause::not_started:
      return is_hdfs_away(diagnostics) ? job::Cause::cluster : job::Cause::files;
  }
  return job::Cause::cluster;
}

}  // namespace

ContainerEnd classify_container_end(const AssignedContainer& assigned, const yarn::ContainerStatus& status,
                                    std::optional<yarn::NodeState> node) {
  using Meaning = ContainerEnd::Meaning;
  if (assigned.phase == Phase::ended || assigned.phase == Phase::idle) return {};
  const auto cause = yarn::exit_cause(status.exit_status);
  ContainerEnd end;
  end.reason = sentence(assigned, status);
  end.cause = cause_of(cause, status.diagnostics, node);
  if (auto exit = own_fault(assigned, cause, status.diagnostics)) {
    end.meaning = Meaning::exited;
    end.exit = *std::move(exit);
    return end;
  }
  if (assigned.phase != Phase::starting) {
    end.meaning = Meaning::lost;
    return end;
  }
  // An agent that has never called could not run: the image or the host may lack something that it needs.
  if (end.cause == job::Cause::agent_lost && !assigned.has_called) end.cause = job::Cause::start_failed;
  end.meaning = after_failed_container(assigned, end.cause);
  return end;
}

namespace {
constexpr int kLost = 154;  // a restarted NodeManager has found neither the process nor its exit status
}  // namespace

bool forgets_containers(const yarn::ContainerStatus& status, job::Cause cause) {
  return status.exit_status == kLost || cause == job::Cause::host_lost || cause == job::Cause::decommissioned;
}

bool confirms_end(const yarn::ContainerStatus& status) {
  constexpr int kAborted = -100;
  constexpr int kPreempted = -102;
  constexpr int kKilledByResourceManager = -106;
  const int code = status.exit_status;
  return code != kAborted && code != kPreempted && code != kKilledByResourceManager && code != kLost;
}

bool counts_as_failed(job::Cause cause) {
  return job::judge(cause).charge == job::Judgement::Charge::always;
}

ContainerEnd::Meaning after_failed_container(const AssignedContainer& assigned, job::Cause cause) {
  using Meaning = ContainerEnd::Meaning;
  if (!counts_as_failed(cause)) return Meaning::try_again;
  return assigned.failures.size() + 1 >= kMostFailedContainers ? Meaning::cannot_place : Meaning::try_again;
}

std::string with_earlier_failures(std::string reason, const std::vector<std::string>& failures) {
  if (failures.empty()) return reason;
  return fmt::format("{} (earlier failures: {})", reason, core::join(failures, "; "));
}

}  // namespace ydl::backend
