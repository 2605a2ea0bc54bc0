#include "client/command_check.hpp"

#include "client/command_errors.hpp"
#include "client/task_paths.hpp"
#include "core/strings.hpp"
#include "master/plan.hpp"

#include <algorithm>
#include <filesystem>
#include <unistd.h>

#include <fmt/format.h>

namespace ydl::client {
namespace {

namespace fs = std::filesystem;
using core::fail;

constexpr std::size_t kMostNames = 20'000;  // that are compared with a word that is not on PATH

bool is_executable(const fs::path& file) {
  std::error_code ignored;
  return fs::is_regular_file(file, ignored) && ::access(file.c_str(), X_OK) == 0;
}

// "(did you mean `train`?)" of the programs on PATH, or the file of that name in the directory of the job.
std::string guess_program(const std::string& word, const fs::path& directory, const std::string& path) {
  if (is_executable(directory / word)) return fmt::format(" (did you mean `./{}`?)", word);
  if (word.find(' ') != std::string::npos) return " (write the words of a command without quotes around all of them)";
  constexpr std::size_t kShortest = 3;  // any word is near to a shorter one
  if (word.size() < kShortest) return {};
  std::vector<std::string> names;
  for (const auto folder : core::split(path, ':')) {
    std::error_code error;
    for (fs::directory_iterator entry(fs::path(folder), error); !error && entry != fs::directory_iterator();
         entry.increment(error)) {
      if (names.size() < kMostNames) names.push_back(entry->path().filename().string());
    }
  }
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  const auto guess = core::nearest(word, candidates);
  return guess ? fmt::format(" (did you mean `{}`?)", core::printable(*guess)) : std::string();
}

core::Result<> check_on_path(const std::string& word, const fs::path& directory, const std::string& path) {
  for (const auto folder : core::split(path, ':')) {
    // Such a folder is meant where the task runs.
    if (!folder.starts_with('/') || is_executable(fs::path(folder) / word)) return {};
  }
  return fail(
      command_error(CommandErrc::not_found, fmt::format("there is no program `{}` on your PATH{}",
                                                        core::printable(word), guess_program(word, directory, path))));
}

core::Result<> check_file(const std::string& word, const fs::path& directory) {
  const auto file = directory / word;
  const auto shown = core::printable(word);
  std::error_code error;
  const auto status = fs::status(file, error);
  if (status.type() == fs::file_type::not_found) {
    const auto where = word.starts_with('/') ? std::string() : " in " + core::printable(directory.string());
    return fail(command_error(CommandErrc::not_found, fmt::format("{} does not exist{}", shown, where)));
  }
  if (status.type() == fs::file_type::directory)
    return fail(command_error(CommandErrc::not_executable, fmt::format("{} is a directory; name a program", shown)));
  const auto any = fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec;
  if (error || (status.permissions() & any) != fs::perms::none) return {};
  return fail(command_error(CommandErrc::not_executable,
                            fmt::format("{0} is not executable; run `chmod +x {1}`, or name the program that runs it, "
                                        "for example `sh {1}`",
                                        shown, core::shell_quote(word))));
}

// The PATH that a task of the role has.
std::string path_of(const spec::JobSpec& spec, const spec::Role& role, const std::string& ours) {
  for (const auto* env : {&role.env, &spec.env}) {
    if (const auto found = env->find("PATH"); found != env->end()) return found->second;
  }
  return ours;
}

core::Result<> check_command(const std::string& word, const spec::JobSpec& spec, core::ClusterKind cluster,
                             const std::string& path) {
  const auto directory = fs::path(spec.directory.value_or(".")).lexically_normal();
  const bool is_here = cluster == core::ClusterKind::local;
  if (word.find('/') == std::string::npos) return is_here ? check_on_path(word, directory, path) : core::Result<>{};
  if (word.starts_with('/')) return is_here ? check_file(word, directory) : core::Result<>{};
  if (word.starts_with("../")) return {};  // outside_paths() has a note for it
  if (auto there = check_file(word, directory); !there) return there;
  if (spec.auto_files) return {};
  return fail(core::Errc::usage,
              fmt::format("--no-auto-files: the tasks would not find {0}; add --file {0}", core::printable(word)));
}

}  // namespace

core::Result<> check_commands(const spec::JobSpec& spec, core::ClusterKind cluster, const std::string& path) {
  if (spec.image || spec.python_env) return {};
  for (const auto& role : spec.roles) {
    const auto& command = role.command.empty() ? spec.command : role.command;
    if (command.empty() || master::script_in(command) || command.front() == "python" || command.front() == "python3")
      continue;
    if (is_attached(fs::path(command.front()).lexically_normal(), spec)) continue;
    if (auto ok = check_command(command.front(), spec, cluster, path_of(spec, role, path)); !ok) return ok;
  }
  if (cluster != core::ClusterKind::local || !spec.python || spec.python->find('/') == std::string::npos) return {};
  auto python = check_file(*spec.python, fs::path(spec.directory.value_or(".")));
  return python ? core::Result<>{} : fail(core::Error{python.error().code, "--python " + python.error().message});
}

}  // namespace ydl::client
