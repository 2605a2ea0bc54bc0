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

// Whether the path begins with the name of a file or archive that the job brings itself.
bool is_brought(const fs::path& path, const spec::JobSpec& spec) {
  const auto lies_in = [&](const spec::FileRef& file) {
    const auto [in_name, in_path] = std::ranges::mismatch(fs::path(spec::name_in_task(file)), path);
    return in_name == fs::path(spec::name_in_task(file)).end() || in_path == path.end();
  };
  return std::ranges::any_of(spec.files, lies_in) || std::ranges::any_of(spec.archives, lies_in);
}

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
  const auto path = directory / script;  // the script alone where that is absolute
  std::error_code error;
  if (is_brought(script, spec)) return {};
  if (!fs::exists(path, error)) {
    return core::fail(core::Errc::usage,
                      fmt::format("there is no script {} in {}{}", script, directory.string(), guess_script(path)));
  }
  const bool linked = spec.auto_files || path == fs::path(script) || script.starts_with("../");
  if (linked) return {};
  return core::fail(core::Errc::usage, fmt::format("with --no-auto-files no task finds {0}: add --file {0}", script));
}

}  // namespace

core::Result<void> check_scripts(const spec::JobSpec& spec) {
  for (const auto& role : spec.roles) {
    const auto& command = role.command.empty() ? spec.command : role.command;
    const auto script = master::script_in(command);
    if (!script) continue;
    if (auto found = check_script(command[*script], spec); !found) return found;
  }
  return {};
}

std::optional<spec::FileRef> missing_file(const spec::JobSpec& spec) {
  const auto directory = fs::path(spec.directory.value_or("."));
  for (const auto& list : {spec.files, spec.archives}) {
    for (const auto& file : list) {
      std::error_code error;
      const auto status = fs::status(directory / file.source, error);
      if (status.type() == fs::file_type::not_found) return file;
    }
  }
  return std::nullopt;
}

spec::JobSpec with_scripts_in_place(spec::JobSpec spec) {
  const auto put_in_place = [&](std::vector<std::string>& command) {
    const auto script = master::script_in(command);
    if (!script || is_brought(command[*script], spec)) return;
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
    if (!script || is_brought(command[*script], spec)) return;
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
    notes.push_back(fmt::format(
        "'{}' lies outside this directory, so tasks will not find it there: give its full path or --file {}", word,
        word));
  }
  return notes;
}

}  // namespace ydl::client
