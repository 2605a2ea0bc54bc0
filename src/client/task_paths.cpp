#include "client/task_paths.hpp"

#include "core/strings.hpp"
#include "master/plan.hpp"
#include "spec/rules.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

namespace ydl::client {
namespace {

namespace fs = std::filesystem;

// "; did you mean 'train.py'?" of the scripts in the folder where it should be.
std::string guess_script(const fs::path& missing) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(missing.parent_path(), error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    if (entry->path().extension() == ".py" && names.size() < 1000) names.push_back(entry->path().filename().string());
  }
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  return core::did_you_mean(missing.filename().string(), candidates);
}

core::Result<void> check_script(const std::string& script, const spec::JobSpec& spec) {
  const auto directory = fs::path(spec.directory.value_or("."));
  const auto path = directory / script;  // the script itself if it is absolute
  std::error_code error;
  if (is_attached(script, spec)) return {};
  if (!fs::exists(path, error)) {
    return core::fail(core::Errc::usage,
                      fmt::format("{} does not exist in {}{}", script, directory.string(), guess_script(path)));
  }
  const bool linked = spec.auto_files || path == fs::path(script) || script.starts_with("../");
  if (linked) return {};
  return core::fail(core::Errc::usage,
                    fmt::format("--no-auto-files: the tasks would not find {0}; add --file {0}", script));
}

}  // namespace

bool is_attached(const fs::path& path, const spec::JobSpec& spec) {
  const auto lies_in = [&](const spec::FileRef& file) {
    const fs::path name(spec::name_in_task(file));
    const auto [in_name, in_path] = std::ranges::mismatch(name, path);
    return in_name == name.end() || in_path == path.end();
  };
  return std::ranges::any_of(spec.files, lies_in) || std::ranges::any_of(spec.archives, lies_in) ||
         std::ranges::any_of(spec.inputs, lies_in);
}

core::Result<void> check_scripts(const spec::JobSpec& spec) {
  for (const auto& role : spec.roles) {
    const auto& command = role.command.empty() ? spec.command : role.command;
    const auto script = master::script_in(command);
    if (!script) continue;
    if (auto found = check_script(command[*script], spec); !found) return found;
  }
  return {};
}

std::optional<MissingFile> missing_file(const spec::JobSpec& spec) {
  const auto directory = fs::path(spec.directory.value_or("."));
  const auto find_in = [&](const std::vector<spec::FileRef>& files, std::string_view option) {
    for (const auto& file : files) {
      std::error_code error;
      if (fs::status(directory / file.source, error).type() != fs::file_type::not_found) continue;
      const bool is_full = file.source.starts_with('/');
      return std::optional(
          MissingFile{file, fmt::format("{} {} does not exist{}", option, core::printable(file.source),
                                        is_full ? std::string() : " in " + core::printable(directory.string()))});
    }
    return std::optional<MissingFile>();
  };
  auto missing = find_in(spec.files, "--file");
  return missing ? missing : find_in(spec.archives, "--archive");
}

spec::JobSpec with_scripts_in_place(spec::JobSpec spec) {
  const auto put_in_place = [&](std::vector<std::string>& command) {
    const auto script = master::script_in(command);
    if (!script || is_attached(command[*script], spec)) return;
    const auto path = fs::path(spec.directory.value_or(".")) / command[*script];
    std::error_code error;
    if (fs::exists(path, error)) command[*script] = path.lexically_normal().string();
  };
  put_in_place(spec.command);
  for (auto& role : spec.roles) put_in_place(role.command);
  return spec;
}

spec::JobSpec with_scripts_shipped(spec::JobSpec spec) {
  const auto ship = [&](std::vector<std::string>& command) {
    const auto script = master::script_in(command);
    if (!script || is_attached(command[*script], spec)) return;
    const auto directory = fs::path(spec.directory.value_or(".")).lexically_normal();
    const auto path = (directory / command[*script]).lexically_normal();
    const auto inside = path.lexically_relative(directory);
    std::error_code error;
    if (!fs::exists(path, error)) return;
    if (!inside.empty() && *inside.begin() != "..") {
      command[*script] = inside.string();
      return;
    }
    const auto home = path.parent_path();
    const auto name = home.filename().string();
    spec.files.push_back({home.string(), name});
    command[*script] = (fs::path(name) / path.filename()).string();
  };
  ship(spec.command);
  for (auto& role : spec.roles) ship(role.command);
  return spec;
}

std::vector<std::string> outside_paths(const spec::JobSpec& spec) {
  std::vector<std::string> notes;
  if (!spec.auto_files || !spec.directory) return notes;
  for (const auto& word : spec.command) {
    std::error_code ignored;
    if (!word.starts_with("../") || !fs::exists(fs::path(*spec.directory) / word, ignored)) continue;
    notes.push_back(
        fmt::format("'{}' is outside this directory, so tasks will not find it; write its full path, or add --file {}",
                    word, word));
  }
  return notes;
}

}  // namespace ydl::client
