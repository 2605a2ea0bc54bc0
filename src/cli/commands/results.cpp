// `ydl results`: what the tasks of a job left, wherever it lies.
#include "cli/args/commands.hpp"
#include "cli/commands/common.hpp"
#include "cli/commands/result_names.hpp"
#include "cli/fs/copy_tree.hpp"
#include "client/yarn/cluster_client.hpp"
#include "client/yarn/remote_job.hpp"
#include "core/strings.hpp"
#include "core/utf8.hpp"
#include "hdfs/file_systems.hpp"
#include "hdfs/paths.hpp"
#include "jobs/job_folder.hpp"
#include "net/wait_for.hpp"
#include "yarn/configured.hpp"

#include <algorithm>
#include <filesystem>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace ydl::cli {
namespace {

namespace fs = std::filesystem;

struct ResultFile {
  std::string name;  // from the task's folder on: "worker-0/model"
  std::uint64_t bytes = 0;
  std::string path;  // where it lies
};

// The folder of all tasks, or of one.
struct ResultsFolder {
  fs::path root;
  std::string task;  // its name, when it is of one

  [[nodiscard]] ResultLevel level() const { return task.empty() ? ResultLevel::task : ResultLevel::file; }
};

int show(const Results& command, const fs::path& root, std::vector<ResultFile> files) {
  std::ranges::sort(files, {}, &ResultFile::name);
  std::uint64_t bytes = 0;
  for (const auto& file : files) {
    bytes += file.bytes;
    if (wants_json(command.common)) {
      print(boost::json::serialize(boost::json::object{{"v", 1},
                                                       {"type", "file"},
                                                       {"name", core::printable(file.name)},
                                                       {"bytes", file.bytes},
                                                       {"path", core::printable(file.path)}}) +
            "\n");
    } else {
      print(fmt::format("{:>10}  {}\n", core::format_bytes(file.bytes), core::escaped(file.name)));
    }
  }
  if (!wants_json(command.common)) {
    print(files.empty() ? fmt::format("nothing is in {}\n", root.string())
                        : fmt::format("{}, {} in {}\n", core::plural(std::ssize(files), "file"),
                                      core::format_bytes(bytes), root.string()));
  }
  return 0;
}

int list_here(const Results& command, const ResultsFolder& folder) {
  std::vector<ResultFile> files;
  std::error_code error;
  using Walk = fs::recursive_directory_iterator;
  for (Walk entry(folder.root, error); !error && entry != Walk(); entry.increment(error)) {
    std::error_code unknown;  // of a link that leads nowhere
    if (entry->is_directory(unknown)) continue;
    const auto name = (fs::path(folder.task) / entry->path().lexically_relative(folder.root)).string();
    const auto size = entry->file_size(unknown);
    files.push_back({name, unknown ? 0 : size, entry->path().string()});
  }
  const int shown = show(command, folder.root, std::move(files));
  if (!error || error == std::errc::no_such_file_or_directory) return shown;
  return complain({error, fmt::format("cannot list all of {}: {}", folder.root.string(), error.message())});
}

int copy_here(const Results& command, const fs::path& root, const std::string& target) {
  net::asio::io_context context(1);
  int code = 0;
  const auto overwrite = command.force ? hdfs::Overwrite::yes : hdfs::Overwrite::no;
  const auto copied =
      net::wait_for(context, copy_tree(root, target, overwrite, [&](const core::Error& e) { code = complain(e); }));
  return copied ? code : complain(copied.error());
}

net::Async<> walk(hdfs::FileSystem& remote, std::string path, fs::path name, ResultLevel level,
                  std::vector<ResultFile>& files) {
  const auto entries = co_await remote.list_all(path);
  if (!entries) co_return core::fail(entries.error());
  for (const auto& entry : *entries) {
    const auto shown = result_name(entry.name, level);
    if (!shown) continue;
    auto child = hdfs::join_path(path, entry.name);
    if (!entry.is_directory()) {
      files.push_back({(name / *shown).string(), entry.length, std::move(child)});
    } else if (auto walked = co_await walk(remote, std::move(child), name / *shown, ResultLevel::file, files);
               !walked) {
      co_return walked;
    }
  }
  co_return core::Result<>{};
}

net::Async<std::vector<ResultFile>> list_remote(client::ClusterClient& cluster, ResultsFolder folder) {
  std::vector<ResultFile> files;
  hdfs::FileSystems file_systems(cluster.executor, *cluster.fs, cluster.config,
                                 {cluster.user, yarn::tokens_of(cluster.tokens)});
  const auto root = file_systems.locate(folder.root.string());
  if (!root) co_return core::fail(root.error());
  const auto there = co_await root->fs->stat(root->path);
  if (!there) co_return core::fail(there.error());
  core::Result<> walked;
  if (*there) walked = co_await walk(*root->fs, root->path, folder.task, folder.level(), files);
  file_systems.close();
  cluster.close();
  if (!walked) co_return core::fail(walked.error());
  co_return files;
}

int list_there(const Results& command, const hconf::Config& hadoop, const ResultsFolder& folder) {
  net::asio::io_context context(1);
  auto cluster = client::open_cluster(context.get_executor(), hadoop);
  if (!cluster) return complain(cluster.error());
  auto files = net::wait_for(context, list_remote(*cluster, folder));
  return files ? show(command, folder.root, *std::move(files)) : complain(files.error());
}

int copy_there(const Results& command, const hconf::Config& hadoop, const ResultsFolder& folder,
               const std::string& target) {
  Fs remote;
  remote.output = command.common.output;
  remote.verb = FsVerb::get;
  remote.recursive = true;
  remote.force = command.force;
  remote.hadoop = hadoop;
  remote.paths = {folder.root.string(), target};
  remote.name_here = [top = folder.level()](std::string_view stored, int depth) {
    return result_name(stored, depth == 0 ? top : ResultLevel::file);
  };
  return execute(remote);
}

}  // namespace

int execute(const Results& command) {
  const auto job_folder = folder_of(command.job);
  if (!job_folder) return complain(job_folder.error());
  const auto job = jobs::read_job_file(*job_folder);
  if (!job) return complain(job.error());
  ResultsFolder folder{job->results, {}};
  if (!command.task.empty()) {
    const auto task = core::TaskId::parse(command.task);
    if (!task) return complain(task.error());
    folder.task = task->file_name();
    folder.root /= folder.task;
  }
  const auto target = command.target.empty() ? job_folder->id().str() : command.target;
  if (job->cluster == core::ClusterKind::local) {
    return command.get ? copy_here(command, folder.root, target) : list_here(command, folder);
  }
  const auto hadoop = client::hadoop_of(*job_folder);
  if (!hadoop) return complain(hadoop.error());
  return command.get ? copy_there(command, *hadoop, folder, target) : list_there(command, *hadoop, folder);
}

}  // namespace ydl::cli
