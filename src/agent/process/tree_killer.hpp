#pragma once

#include "agent/process/proc_tree.hpp"

#include <set>
#include <span>
#include <sys/types.h>
#include <vector>

namespace ydl::agent {

// Kills everything below one process, however it forks. A process found by walking /proc may have forked since, so a
// sweep first freezes what it finds and looks again until nothing new turns up, and only then kills: a frozen process
// cannot fork, and it keeps its place in the process limit, so that nobody else can either. Where a whole process
// group is ours it is signalled as one, which the kernel does atomically against fork.
class TreeKiller {
 public:
  struct Sweep {
    int alive = 0;    // found living and told to end
    int refused = 0;  // of these, how many we may not signal: they changed their user
  };

  // `own_group`: a process group made for the tree, or 0. `except`: children to spare, with all below them.
  TreeKiller(pid_t root, pid_t own_group, std::vector<pid_t> except = {});

  Sweep sweep();
  // The processes told to end so far.
  [[nodiscard]] const std::set<pid_t>& killed() const { return killed_; }

 private:
  [[nodiscard]] std::vector<ProcessLink> living() const;
  void freeze_children(std::set<pid_t>& frozen) const;
  [[nodiscard]] bool group_is_ours(const ProcessLink& process) const;
  // How many of `targets` could not be signalled.
  int signal_all(std::span<const ProcessLink> targets, int signal) const;

  pid_t root_;
  pid_t own_group_;
  pid_t session_;
  std::vector<pid_t> except_;
  std::set<pid_t> killed_;
};

// Makes orphans below this process its own children, instead of init's: what a task leaves behind when its reaper was
// killed can then be found. To be called once, by the agent, before the first launch.
void adopt_orphans();

// Kills and collects all descendants of this process that are not `known_children` (reapers) or below them. Returns
// how many there were. For the agent, after a reaper was lost and before it exits; any other child the agent has then
// must be among the known ones. After adopt_orphans.
int kill_strays(std::span<const pid_t> known_children);

}  // namespace ydl::agent
