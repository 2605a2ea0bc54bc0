// `ydl results`: what the tasks of a job left, wherever it lies.
#include "cli/commands.hpp"
#include "cli/common.hpp"
#include "core/strings.hpp"
#include "master/job_folder.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

namespace ydl::cli {
namespace {

namespace fs = std::filesystem;

int list_here(const fs::path& root) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(root, error)) {
    if (!entry.is_directory(error)) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  for (const auto& file : files)
    print(fmt::format("{:>10}  {}\n", core::format_bytes(fs::file_size(file, error)), file.string()));
  return 0;
}

int copy_here(const fs::path& root, const std::string& target) {
  std::error_code error;
  fs::create_directories(target, error);
  if (!error) fs::copy(root, target, fs::copy_options::recursive | fs::copy_options::overwrite_existing, error);
  if (!error) return 0;
  return complain({error, fmt::format("cannot copy {} to {}: {}", root.string(), target, error.message())});
}

}  // namespace

int execute(const Results& command) {
  const auto folder = folder_of(command.job);
  if (!folder) return complain(folder.error());
  const auto job = master::read_job_file(*folder);
  if (!job) return complain(job.error());
  auto root = job->results;
  if (!command.task.empty()) {
    const auto task = core::TaskId::parse(command.task);
    if (!task) return complain(task.error());
    root /= task->file_name();
  }
  const auto target = command.target.empty() ? folder->id().str() : command.target;
  if (job->cluster == "local") return command.get ? copy_here(root, target) : list_here(root);
  Fs remote;
  remote.output = command.common.output;
  remote.verb = command.get ? FsVerb::get : FsVerb::ls;
  remote.recursive = true;
  remote.human = true;
  remote.paths = {root.string()};
  if (command.get) remote.paths.push_back(target);
  return execute(remote);
}

}  // namespace ydl::cli
