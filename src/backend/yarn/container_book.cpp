#include "backend/yarn/container_book.hpp"

#include "core/strings.hpp"
#include "yarn/diagnostics.hpp"
#include "yarn/exit_status.hpp"

#include <algorithm>
#include <csignal>

#include <fmt/format.h>

namespace ydl::backend {

void ContainerBook::wait(protocol::Prepare request, int failures) {
  auto& queue = waiting_[request.attempt.task.role];
  queue.push_back({std::move(request), failures});
}

Held* ContainerBook::assign(const std::string& role, yarn::Container container, core::Instant now) {
  const auto queue = waiting_.find(role);
  if (queue == waiting_.end() || queue->second.empty()) return nullptr;
  auto next = std::move(queue->second.front());
  queue->second.pop_front();
  const auto id = container.id;
  container_of_[next.request.attempt] = id;
  auto& held = held_[id];
  held = {std::move(next.request), std::move(container), Phase::starting, next.failures, now, false};
  return &held;
}

bool ContainerBook::stop_waiting(const core::AttemptId& attempt) {
  const auto queue = waiting_.find(attempt.task.role);
  if (queue == waiting_.end()) return false;
  return std::erase_if(queue->second, [&](const Waiting& one) { return one.request.attempt == attempt; }) > 0;
}

Held* ContainerBook::find(const core::AttemptId& attempt) {
  const auto id = container_of_.find(attempt);
  const auto found = id == container_of_.end() ? held_.end() : held_.find(id->second);
  return found == held_.end() || found->second.phase == Phase::ended ? nullptr : &found->second;
}

void ContainerBook::erase(const yarn::ContainerId& id) {
  const auto found = held_.find(id);
  if (found == held_.end()) return;
  const auto newest = container_of_.find(found->second.request.attempt);
  if (newest != container_of_.end() && newest->second == id) container_of_.erase(newest);
  held_.erase(found);
}

Held* ContainerBook::find(const yarn::ContainerId& id) {
  const auto found = held_.find(id);
  return found == held_.end() ? nullptr : &found->second;
}

std::vector<core::AttemptId> ContainerBook::waiting(const std::string& role) const {
  std::vector<core::AttemptId> attempts;
  if (const auto queue = waiting_.find(role); queue != waiting_.end()) {
    for (const auto& one : queue->second) attempts.push_back(one.request.attempt);
  }
  return attempts;
}

std::string image_hint(const yarn::ImageRuntime& image, int exit_status) {
  constexpr int kNoSuchProgram = 127;
  if (image.start == yarn::ImageRuntime::Start::script) {
    if (exit_status != kNoSuchProgram) return "";
    return fmt::format(
        ": the NodeManager starts an image with bash, which {} may lack; with image_entry_point: true in a job file it "
        "needs none",
        image.image);
  }
  if (exit_status != 0) return "";
  return fmt::format(": the entry point of {} does not run its arguments, as it must; leave image_entry_point out",
                     image.image);
}

namespace {

std::string sentence(const Held& held, const yarn::ContainerStatus& status) {
  auto text =
      fmt::format("its container on {} ended: {}", held.container.node.host, yarn::describe_exit(status.exit_status));
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
  words.remove_prefix(words.find_last_of(":;") + 1);  // 0 where there is none
  const auto of = words.find(" of ");
  if (of == std::string_view::npos) return std::nullopt;
  return std::pair{core::trim(words.substr(0, of)), core::trim(words.substr(of + 4))};
}

job::ExitStatus killed_for_memory(const Held& held, yarn::ExitCause cause, std::string_view diagnostics) {
  job::ExitStatus exit;
  exit.signal = SIGKILL;
  exit.cause = job::Cause::memory;
  exit.memory_limit = static_cast<std::uint64_t>(held.container.resource.memory_mib) << 20U;
  exit.out_of_memory = cause == yarn::ExitCause::memory;
  if (const auto used = usage(diagnostics, "physical")) {
    exit.peak_memory = core::parse_bytes(used->first).value_or(0);
  }
  if (exit.out_of_memory) {
    exit.killer = "its NodeManager for its memory";
    return exit;
  }
  const auto mapped = usage(diagnostics, "virtual");
  exit.killer = fmt::format(
      "its NodeManager for its virtual memory{}: ask for more memory, or have the administrator set "
      "yarn.nodemanager.vmem-check-enabled to false",
      mapped ? fmt::format(", {} where {} are allowed", core::printable(mapped->first), core::printable(mapped->second))
             : "");
  return exit;
}

// A container that ends without a report of its agent took that agent with it.
job::Cause cause_of(yarn::ExitCause cause) {
  using yarn::ExitCause;
  switch (cause) {
    case ExitCause::succeeded:
    case ExitCause::failed:
    case ExitCause::signalled:
      return job::Cause::agent_lost;
    case ExitCause::released:
      return job::Cause::host_lost;
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
    case ExitCause::logs:
      return job::Cause::cluster;
    case ExitCause::not_started:
      return job::Cause::files;
  }
  return job::Cause::cluster;
}

}  // namespace

ContainerEnd what_it_means(const Held& held, const yarn::ContainerStatus& status) {
  using Meaning = ContainerEnd::Meaning;
  if (held.phase == Phase::ended) return {};
  const auto cause = yarn::exit_cause(status.exit_status);
  ContainerEnd end;
  end.reason = sentence(held, status);
  end.cause = cause_of(cause);
  end.blames_the_host = cause == yarn::ExitCause::bad_disk || cause == yarn::ExitCause::not_started;
  if (cause == yarn::ExitCause::memory || cause == yarn::ExitCause::virtual_memory) {
    end.meaning = Meaning::exited;
    end.exit = killed_for_memory(held, cause, status.diagnostics);
    return end;
  }
  if (held.phase == Phase::placed) {
    end.meaning = Meaning::lost;
    return end;
  }
  end.meaning = held.failures + 1 >= kMostFailedContainers ? Meaning::cannot_place : Meaning::try_again;
  return end;
}

}  // namespace ydl::backend
