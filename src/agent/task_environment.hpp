#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ydl::agent {

using Environment = std::map<std::string, std::string>;

// What the place of a task adds to its environment.
struct TaskPlace {
  std::string working_directory;
  std::string results_directory;
  std::string restore_directory = {};       // of YDL_RESTORE_DIR; empty: there is nothing to continue from
  std::optional<std::string> visible_gpus;  // of CUDA_VISIBLE_DEVICES; without a value the agent's own stays
  std::vector<std::string> path_first;      // folders of the working directory
  std::string home;                         // in place of the agent's own HOME; empty: that is good
  std::string warning_file = {};            // of YDL_PREEMPTION_FILE
  std::string hadoop_user = {};             // of HADOOP_USER_NAME; empty: with Kerberos, or without Hadoop
};

// All that a task finds in its environment: what its launch says, then what its place adds, the agent's own for the
// rest. What the launch says nothing goes over.
[[nodiscard]] Environment task_environment(Environment asked, const TaskPlace& place, const Environment& own);

// Whether a container's HOME is one: frameworks keep caches there. NodeManagers give every container "/home/" unless
// their administrator says otherwise, and nobody's files belong there.
[[nodiscard]] bool is_home(std::string_view home);

}  // namespace ydl::agent
