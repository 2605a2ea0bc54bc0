#include "agent/task_environment.hpp"

#include "agent/process/launch_request.hpp"

#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace ydl::agent {
namespace {

std::string path_with(const TaskPlace& place, const Environment& own) {
  std::string path;
  for (const auto& folder : place.path_first)
    path += (std::filesystem::path(place.working_directory) / folder).string() + ":";
  const auto found = own.find("PATH");
  return path + (found == own.end() ? std::string(kDefaultPath) : found->second);
}

}  // namespace

Environment task_environment(Environment asked, const TaskPlace& place, const Environment& own) {
  asked["YDL_RESULTS_DIR"] = place.results_directory;
  if (!place.warning_file.empty()) asked["YDL_PREEMPTION_FILE"] = place.warning_file;
  if (!place.restore_directory.empty()) asked["YDL_RESTORE_DIR"] = place.restore_directory;
  if (place.visible_gpus) asked.try_emplace("CUDA_VISIBLE_DEVICES", *place.visible_gpus);
  asked.try_emplace("PWD", place.working_directory);
  if (!place.path_first.empty()) asked.try_emplace("PATH", path_with(place, own));
  if (!place.home.empty()) asked.try_emplace("HOME", place.home);
  if (!place.hadoop_user.empty()) asked.try_emplace("HADOOP_USER_NAME", place.hadoop_user);
  const bool is_restored = asked.contains("YDL_RESTORE_DIR");
  asked.insert(own.begin(), own.end());
  if (!is_restored) asked.erase("YDL_RESTORE_DIR");  // the agent's own: it runs in a task of another job
  return asked;
}

bool is_home(std::string_view home) {
  if (home.empty() || home == "/home/" || home == "/home" || home == "/") return false;
  const std::string path(home);
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && ::access(path.c_str(), W_OK | X_OK) == 0;
}

}  // namespace ydl::agent
