#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ydl::agent {

using Environment = std::map<std::string, std::string>;

// What the host of a task adds to its environment.
struct TaskPlace {
  std::string working_directory;
  std::string results_directory;
  std::string restore_directory = {};               // for YDL_RESTORE_DIR; empty if there is nothing to continue from
  std::optional<std::string> visible_gpus;          // for CUDA_VISIBLE_DEVICES; nothing: keep the agent's own
  std::vector<std::string> path_first;              // folders of the working directory
  std::vector<std::string> python_path_first = {};  // the same, for PYTHONPATH
  std::string home;                                 // replaces the agent's own HOME; empty: keep it
  std::string warning_file = {};                    // for YDL_PREEMPTION_FILE
  std::string hadoop_user = {};                     // for HADOOP_USER_NAME; empty with Kerberos, or without Hadoop
};

// The complete environment of a task: the variables of its launch, then those of its host, then the agent's own. The
// variables of the launch are never overridden.
[[nodiscard]] Environment task_environment(Environment asked, const TaskPlace& place, const Environment& own);

// Whether the HOME of a container is usable: frameworks keep caches there. By default NodeManagers set it to "/home/"
// in every container, which is not a home directory.
[[nodiscard]] bool is_home(std::string_view home);

}  // namespace ydl::agent
