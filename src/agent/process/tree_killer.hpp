#pragma once

#include "agent/process/proc_tree.hpp"

#include <set>
#include <span>
#include <sys/types.h>
#include <vector>

namespace ydl::agent {

// Kills all processes below one process, even if they keep forking. A process found in /proc may have forked since. So
// a sweep first stops the processes that it finds, looks again until it finds no new ones, and only then kills them: a
// stopped process cannot fork, and it still counts towards the process limit. If a whole process group belongs to the
// tree, it gets the signal as a group, which the kernel does atomically with respect to fork.
class TreeKiller {
 public:
  struct Sweep {
    int alive = 0;    // processes that were signalled
    int refused = 0;  // of these, processes that changed their user, so that this one may not signal them
  };

  // `own_group`: the process group of the tree, or 0. `except`: children that are spared, with all processes below
  // them.
  TreeKiller(pid_t root, pid_t own_group, std::vector<pid_t> except = {});

  Sweep sweep();
  // The number of processes that were signalled so far.
  [[nodiscard]] const std::set<pid_t>& killed() const { return killed_; }

 private:
  [[nodiscard]] std::vector<ProcessLink> living() const;
  void freeze_children(std::set<pid_t>& frozen) const;
  [[nodiscard]] bool group_is_ours(const ProcessLink& process) const;
  // Returns how many of `targets` could not be signalled.
  int signal_all(std::span<const ProcessLink> targets, int signal) const;

  pid_t root_;
  pid_t own_group_;
  pid_t session_;
  std::vector<pid_t> except_;
  std::set<pid_t> killed_;
};

// Makes orphans below this process its children, instead of children of init. So the agent can find the processes of a
// task whose reaper was killed. The agent calls this once before the first launch.
void adopt_orphans();

// Kills and collects all descendants of this process except `known_children` (reapers) and processes below those.
// Returns their number. The agent calls this after a reaper was lost and before it exits, and after adopt_orphans().
// All its other children must be among the known ones.
int kill_leftovers(std::span<const pid_t> known_children);

}  // namespace ydl::agent
