#include "agent/task_environment.hpp"

#include "agent/process/launch_request.hpp"

#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace ydl::agent {
namespace {

// Unlike PATH, a PYTHONPATH of the job does not replace these folders: they are a part of its environment.
std::string python_path_with(const TaskPlace& place, const Environment& asked, const Environment& own) {
  std::string path;
  for (const auto& folder : place.python_path_first) {
    if (!path.empty()) path += ":";
    path += (std::filesystem::path(place.working_directory) / folder).string();
  }
  const auto& source = asked.contains("PYTHONPATH") ? asked : own;
  const auto found = source.find("PYTHONPATH");
  return found == source.end() || found->second.empty() ? path : path + ":" + found->second;
}

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
  if (!place.python_path_first.empty()) {
    asked["PYTHONPATH"] = python_path_with(place, asked, own);
    // The launcher of the environment looks here for libraries that the packages need.
    asked["YDL_PYTHON_PACKAGES"] =
        (std::filesystem::path(place.working_directory) / place.python_path_first.front()).string();
  }
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
