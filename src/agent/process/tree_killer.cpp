#include "agent/process/tree_killer.hpp"

#include "core/clock.hpp"

#include <algorithm>
#include <cerrno>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ydl::agent {
namespace {

// The passes have limits, because a tree may fork faster than it is found. The caller then sweeps again.
constexpr int kFreezePasses = 20;
constexpr int kChildPasses = 200;
constexpr auto kLeftoversLimit = core::Millis(5000);  // then a process is left that cannot be killed
constexpr int kPauseMs = 5;

}  // namespace

TreeKiller::TreeKiller(pid_t root, pid_t own_group, std::vector<pid_t> except)
    : root_(root), own_group_(own_group), session_(::getsid(root)), except_(std::move(except)) {}

std::vector<ProcessLink> TreeKiller::living() const {
  auto found = descendants_of(root_, list_processes(), except_);
  std::erase_if(found, [](const ProcessLink& process) { return process.is_zombie(); });
  return found;
}

bool TreeKiller::group_is_ours(const ProcessLink& process) const {
  // If a descendant has created a session of its own, only descendants of it can be in that session.
  return process.group > 1 && (process.group == own_group_ || process.session != session_);
}

int TreeKiller::signal_all(std::span<const ProcessLink> targets, int signal) const {
  int refused = 0;
  std::set<pid_t> groups;
  for (const auto& process : targets) {
    if (group_is_ours(process) && groups.insert(process.group).second) ::kill(-process.group, signal);
    // Signal the processes one by one too, because signalling a group succeeds if a single member could be signalled.
    if (::kill(process.pid, signal) != 0 && errno == EPERM) ++refused;
  }
  return refused;
}

// A process that forks and exits at once has ended before a walk through /proc reaches it, and so has its child at the
// next walk. But when a parent exits, its child becomes a child of the root, and the list of these is read quickly.
void TreeKiller::freeze_children(std::set<pid_t>& frozen) const {
  for (int i = 0; i < kChildPasses; ++i) {
    bool is_quiet = true;
    for (const pid_t pid : children_of(root_)) {
      if (std::ranges::find(except_, pid) != except_.end() || !frozen.insert(pid).second) continue;
      ::kill(pid, SIGSTOP);
      is_quiet = false;
    }
    if (is_quiet) return;
  }
}

TreeKiller::Sweep TreeKiller::sweep() {
  std::set<pid_t> frozen;
  std::set<pid_t> children;
  std::vector<ProcessLink> found;
  for (int pass = 0; pass < kFreezePasses; ++pass) {
    freeze_children(children);
    found = living();
    std::vector<ProcessLink> fresh;
    std::ranges::copy_if(found, std::back_inserter(fresh),
                         [&](const ProcessLink& process) { return frozen.insert(process.pid).second; });
    if (fresh.empty()) break;
    signal_all(fresh, SIGSTOP);
  }
  Sweep result{.alive = static_cast<int>(found.size())};
  result.refused = signal_all(found, SIGKILL);
  for (const auto& process : found) killed_.insert(process.pid);
  return result;
}

void adopt_orphans() {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

namespace {

// Collects ended children that are not `known`. Returns whether a child that is not known still runs.
bool collect_leftovers(std::span<const pid_t> known) {
  bool left = false;
  for (const auto& process : list_processes()) {
    if (process.parent != ::getpid() || std::ranges::find(known, process.pid) != known.end()) continue;
    if (::waitpid(process.pid, nullptr, WNOHANG) == 0) left = true;
  }
  return left;
}

bool has_children() {
  siginfo_t ignored{};
  return ::waitid(P_ALL, 0, &ignored, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

}  // namespace

int kill_leftovers(std::span<const pid_t> known_children) {
  // Every leftover process is a child of this process or below one. Without children there is no need to read /proc.
  if (!has_children()) return 0;
  TreeKiller killer(::getpid(), 0, {known_children.begin(), known_children.end()});
  const auto deadline = core::steady_now() + kLeftoversLimit;
  while (core::steady_now() < deadline) {
    const auto sweep = killer.sweep();
    const bool children_left = collect_leftovers(known_children);
    if (sweep.alive == 0 && !children_left) break;
    if (sweep.alive > 0 && sweep.alive == sweep.refused) break;
    ::poll(nullptr, 0, kPauseMs);
  }
  return static_cast<int>(killer.killed().size());
}

}  // namespace ydl::agent
