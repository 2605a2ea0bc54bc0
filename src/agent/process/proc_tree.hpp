#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

// The tree of processes, read from /proc. Not every kernel has /proc/PID/task/TID/children, so the tree is built from
// the parent ids of all processes.
namespace ydl::agent {

struct ProcessLink {
  pid_t pid = 0;
  pid_t parent = 0;
  pid_t group = 0;
  pid_t session = 0;
  char state = '?';

  // The process has ended, and its parent has not collected it yet.
  [[nodiscard]] bool is_zombie() const { return state == 'Z' || state == 'X'; }
};

// Parses a line of /proc/PID/stat. A process chooses its own name, which may contain spaces and parentheses.
[[nodiscard]] std::optional<ProcessLink> parse_stat(std::string_view text);

// All processes that /proc shows now, without those that end during the call.
[[nodiscard]] std::vector<ProcessLink> list_processes();

// The children of a process; empty if the kernel has no such list. Much faster than reading all processes.
[[nodiscard]] std::vector<pid_t> children_of(pid_t pid);

// The same of every thread of the process: each has a list of its own.
[[nodiscard]] std::vector<pid_t> children_of_all_threads(pid_t pid);

// The processes below `root`, without it and without `except` and what is below those.
[[nodiscard]] std::vector<ProcessLink> descendants_of(pid_t root, std::span<const ProcessLink> all,
                                                      std::span<const pid_t> except = {});

// The name of a process in /proc; "" if it has ended or is hidden.
[[nodiscard]] std::string process_name(pid_t pid);

}  // namespace ydl::agent
