#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

// Who descends from whom, read from /proc. Not every kernel has /proc/PID/task/TID/children, so the tree is built from
// the parent links of all processes.
namespace ydl::agent {

struct ProcessLink {
  pid_t pid = 0;
  pid_t parent = 0;
  pid_t group = 0;
  pid_t session = 0;
  char state = '?';

  // Dead already and only waiting for its parent to notice.
  [[nodiscard]] bool is_zombie() const { return state == 'Z' || state == 'X'; }
};

// One line of /proc/PID/stat. The name in it is chosen by the process and may hold spaces and parentheses.
[[nodiscard]] std::optional<ProcessLink> parse_stat(std::string_view text);

// Every process that /proc shows now. Those that end while we look are left out.
[[nodiscard]] std::vector<ProcessLink> list_processes();

// Its children, or nobody where the kernel keeps no such list. Much quicker than to look at every process.
[[nodiscard]] std::vector<pid_t> children_of(pid_t pid);

// The same of every thread of the process: each has a list of its own.
[[nodiscard]] std::vector<pid_t> children_of_all_threads(pid_t pid);

// The processes below `root`, without it and without `except` and what is below those.
[[nodiscard]] std::vector<ProcessLink> descendants_of(pid_t root, std::span<const ProcessLink> all,
                                                      std::span<const pid_t> except = {});

// The name /proc has for a process, or "" when it is gone or hidden.
[[nodiscard]] std::string process_name(pid_t pid);

}  // namespace ydl::agent
