// `ydl results`: what the tasks of a job left, wherever it lies.
#include "cli/args/commands.hpp"
#include "cli/commands/common.hpp"
#include "cli/commands/result_names.hpp"
#include "cli/fs/copy_tree.hpp"
#include "client/yarn/cluster_client.hpp"
#include "client/yarn/remote_job.hpp"
#include "core/base64.hpp"
#include "core/files.hpp"
#include "core/strings.hpp"
#include "core/utf8.hpp"
#include "hdfs/file_systems.hpp"
#include "hdfs/paths.hpp"
#include "jobs/job_folder.hpp"
#include "net/wait_for.hpp"
#include "yarn/configured.hpp"

#include <algorithm>
#include <filesystem>
#include <ranges>
#include <set>
#include <unistd.h>

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
  std::string job;
  fs::path root;
  std::string task;  // its name, when it is of one

  [[nodiscard]] ResultLevel level() const { return task.empty() ? ResultLevel::task : ResultLevel::file; }
};

// A line of JSON. Bytes that are not UTF-8 cannot be in one: a name with them is there in base64 too.
std::string json_line(const std::string& job, const ResultFile& file) {
  const auto text = core::replace_invalid_utf8(file.path);
  boost::json::object object{{"v", 1},
                             {"type", "file"},
                             {"job", job},
                             {"name", core::replace_invalid_utf8(file.name)},
                             {"bytes", file.bytes},
                             {"path", text},
                             {"path_base64", nullptr}};
  if (text != file.path) object["path_base64"] = core::to_base64(file.path);
  return boost::json::serialize(object) + "\n";
}

std::string json_line(const std::string& job, const CopiedTree& copied, const std::string& target) {
  boost::json::object object{
      {"v", 1}, {"type", "copied"}, {"job", job}, {"files", copied.files}, {"bytes", copied.bytes}, {"path", nullptr}};
  if (copied.files > 0) object["path"] = core::replace_invalid_utf8(target);
  return boost::json::serialize(object) + "\n";
}

// The task may still run.
std::string no_results(const ResultsFolder& folder) {
  return fmt::format("{} left no files in {}", folder.task.empty() ? "the tasks have" : "the task has",
                     folder.root.string());
}

// What was copied, for people: on standard error, as all that is not data.
void say_copied(const Results& command, const ResultsFolder& folder, const CopiedTree& copied,
                const std::string& target) {
  if (command.common.output == ui::Mode::quiet) return;
  if (wants_json(command.common)) return print(json_line(folder.job, copied, target));
  const auto text = copied.files == 0 ? fmt::format("nothing was copied: {}\n", no_results(folder))
                                      : fmt::format("{}, {} copied to {}\n", core::plural(copied.files, "file"),
                                                    core::format_bytes(copied.bytes), target);
  (void)core::write_all(STDERR_FILENO, text);
}

int show(const Results& command, const ResultsFolder& folder, std::vector<ResultFile> files) {
  std::ranges::sort(files, {}, &ResultFile::name);
  std::uint64_t bytes = 0;
  for (const auto& file : files) {
    bytes += file.bytes;
    if (wants_json(command.common)) {
      print(json_line(folder.job, file));
    } else {
      print(fmt::format("{:>10}  {}\n", core::format_bytes(file.bytes), core::escaped(file.name)));
    }
  }
  if (!wants_json(command.common)) {
    print(files.empty() ? no_results(folder) + "\n"
                        : fmt::format("{}, {} in {}\n", core::plural(std::ssize(files), "file"),
                                      core::format_bytes(bytes), folder.root.string()));
  }
  return 0;
}

struct Listing {
  std::vector<ResultFile> files;
  std::error_code error;  // why it has not all of them
};

Listing files_here(const ResultsFolder& folder) {
  Listing listing;
  using Walk = fs::recursive_directory_iterator;
  for (Walk entry(folder.root, listing.error); !listing.error && entry != Walk(); entry.increment(listing.error)) {
    std::error_code unknown;  // of a link that leads nowhere
    if (entry->is_directory(unknown) && !entry->is_symlink(unknown)) continue;
    const auto name = (fs::path(folder.task) / entry->path().lexically_relative(folder.root)).string();
    const auto size = entry->file_size(unknown);
    listing.files.push_back({name, unknown ? 0 : size, entry->path().string()});
  }
  if (listing.error == std::errc::no_such_file_or_directory) listing.error.clear();
  return listing;
}

int list_here(const Results& command, const ResultsFolder& folder) {
  auto listing = files_here(folder);
  const int shown = show(command, folder, std::move(listing.files));
  if (!listing.error) return shown;
  return complain(
      {listing.error, fmt::format("cannot list all of {}: {}", folder.root.string(), listing.error.message())});
}

// The files with these names, and those in folders with these names. Errors: not_found, naming the first that is
// neither.
core::Result<std::vector<ResultFile>> select(std::vector<ResultFile> files, const std::vector<std::string>& names,
                                             std::string_view job) {
  std::set<std::string> selected;
  for (const auto& name : names) {
    const auto wanted = fs::path(name).lexically_normal().generic_string();
    const auto is_wanted = [&](const ResultFile& file) {
      return file.name == wanted || file.name.starts_with(wanted.ends_with('/') ? wanted : wanted + "/");
    };
    for (const auto& file : files | std::views::filter(is_wanted)) selected.insert(file.name);
    if (std::ranges::none_of(files, is_wanted)) {
      return core::fail(core::Errc::not_found,
                        fmt::format("the results of {} have no file '{}' (`ydl results ls {}` shows all)", job,
                                    core::printable(name), job));
    }
  }
  std::erase_if(files, [&](const ResultFile& file) { return !selected.contains(file.name); });
  return files;
}

// A job's tasks have folders for results even where they leave nothing in them.
bool has_nothing(const fs::path& root) {
  std::error_code error;
  using Walk = fs::recursive_directory_iterator;
  for (Walk entry(root, error); !error && entry != Walk(); entry.increment(error)) {
    if (entry->symlink_status(error).type() != fs::file_type::directory) return false;
  }
  return !error || error == std::errc::no_such_file_or_directory;
}

int copy_here(const Results& command, const ResultsFolder& folder, const std::string& target) {
  if (command.names.empty() && has_nothing(folder.root)) {
    say_copied(command, folder, {}, target);
    return 0;
  }
  net::asio::io_context context(1);
  int code = 0;
  const auto overwrite = command.force ? hdfs::Overwrite::yes : hdfs::Overwrite::no;
  const auto report = [&](const core::Error& e) { code = complain(e); };
  std::vector<std::string> names;
  if (!command.names.empty()) {
    const auto selected = select(files_here(folder).files, command.names, folder.job);
    if (!selected) return complain(selected.error());
    for (const auto& file : *selected) names.push_back(file.name);
  }
  const auto copied =
      net::wait_for(context, names.empty() ? copy_tree(folder.root, target, overwrite, report)
                                           : copy_files_of(folder.root, target, std::move(names), overwrite, report));
  if (!copied) return complain(copied.error());
  // Not "nothing was copied" after an error that gives the reason.
  if (code == 0 || copied->files > 0 || wants_json(command.common)) say_copied(command, folder, *copied, target);
  return code;
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

core::Result<std::vector<ResultFile>> files_there(const hconf::Config& hadoop, const ResultsFolder& folder) {
  net::asio::io_context context(1);
  auto cluster = client::open_cluster(context.get_executor(), hadoop);
  if (!cluster) return core::fail(cluster.error());
  return net::wait_for(context, list_remote(*cluster, folder));
}

int list_there(const Results& command, const hconf::Config& hadoop, const ResultsFolder& folder) {
  auto files = files_there(hadoop, folder);
  return files ? show(command, folder, *std::move(files)) : complain(files.error());
}

int copy_there(const Results& command, const hconf::Config& hadoop, const ResultsFolder& folder,
               const std::string& target) {
  auto files = files_there(hadoop, folder);
  if (files && !command.names.empty()) files = select(*std::move(files), command.names, folder.job);
  if (!files) return complain(files.error());
  CopiedTree copied{.files = std::ssize(*files)};
  for (const auto& file : *files) copied.bytes += file.bytes;
  if (files->empty()) {
    say_copied(command, folder, {}, target);
    return 0;
  }
  Fs remote;
  remote.output = command.common.output;
  remote.verb = FsVerb::get;
  remote.recursive = true;
  remote.force = command.force;
  remote.hadoop = hadoop;
  remote.paths = {folder.root.string(), target};
  if (!command.names.empty()) {
    for (const auto& file : *files)
      remote.files.push_back({file.path, (fs::path(target) / file.name).string(), file.bytes});
  }
  remote.name_here = [top = folder.level()](std::string_view stored, int depth) {
    return result_name(stored, depth == 0 ? top : ResultLevel::file);
  };
  const int code = execute(remote);
  if (code == 0) say_copied(command, folder, copied, target);
  return code;
}

}  // namespace

int execute(const Results& command) {
  const auto job_folder = folder_of(command.job);
  if (!job_folder) return complain(job_folder.error());
  const auto job = jobs::read_job_file(*job_folder);
  if (!job) return complain(job.error());
  ResultsFolder folder{job_folder->id().str(), job->results, {}};
  if (!command.task.empty()) {
    const auto task = find_task(*job, command.task);
    if (!task) return complain(task.error());
    folder.task = task->file_name();
    folder.root /= folder.task;
  }
  const auto target = command.target.empty() ? job_folder->id().str() : command.target;
  if (job->cluster != core::ClusterKind::yarn) {  // theirs are on HDFS
    return command.get ? copy_here(command, folder, target) : list_here(command, folder);
  }
  const auto hadoop = client::hadoop_of(*job_folder);
  if (!hadoop) return complain(hadoop.error());
  return command.get ? copy_there(command, *hadoop, folder, target) : list_there(command, *hadoop, folder);
}

}  // namespace ydl::cli
