#include "backend/packing/python_env.hpp"

#include "backend/packing/native_libraries.hpp"
#include "core/files.hpp"
#include "files/ignore_list.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <map>

#include <fmt/format.h>

namespace ydl::backend {
namespace {

namespace fs = std::filesystem;
using core::Result;

// Parts of a standard library that no job needs, and the folders of packages, which do not belong to the environment.
constexpr std::array<std::string_view, 5> kLeftOut{"test", "idlelib", "turtledemo", "site-packages", "dist-packages"};

constexpr std::string_view kLibraries = "ydl-libraries";

// It uses no program except the shell. A relative path would lose its meaning when the program changes its directory.
constexpr std::string_view kLauncher = R"(#!/bin/sh
here=${0%/*}
case $here in
  /*) ;;
  *) here=$PWD/$here ;;
esac
libraries=$here/../lib/ydl-libraries
if [ -n "${YDL_PYTHON_PACKAGES-}" ]; then libraries=$YDL_PYTHON_PACKAGES/ydl-libraries:$libraries; fi
export YDL_LD_LIBRARY_PATH="${LD_LIBRARY_PATH-}"
export LD_LIBRARY_PATH="$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
exec "$here/python-itself" "$@"
)";

// The loader has read LD_LIBRARY_PATH already. Programs that Python starts must not get these libraries, and those that
// are Python must be started by the launcher.
constexpr std::string_view kStart = R"(import os
import sys

if os.path.basename(sys.executable) == "python-itself":
    sys.executable = sys._base_executable = os.path.join(os.path.dirname(sys.executable), "python")
_before = os.environ.pop("YDL_LD_LIBRARY_PATH", None)
if _before:
    os.environ["LD_LIBRARY_PATH"] = _before
elif _before is not None:
    os.environ.pop("LD_LIBRARY_PATH", None)
)";

// Puts several trees below one prefix.
class Packer {
 public:
  Result<> add(const fs::path& source, const std::string& name) { return add(source, name, source); }

  // Adds a part of a folder; links may lead to other parts of the same folder.
  Result<> add(const fs::path& source, const std::string& name, const fs::path& whole) {
    TreeReader reader([&whole](const fs::path& path) { return lies_in(path, whole); },
                      std::numeric_limits<std::uint64_t>::max());
    if (auto read = reader.add(source, name); !read) return read;
    for (auto& entry : std::move(reader).take().entries) put(std::move(entry));
    return {};
  }

  void add_link(const std::string& name, const std::string& target) {
    put({{name, TarEntry::Kind::link, 0777, 0, target}, {}, {}});
  }

  void add_text(const std::string& name, std::string text, std::uint32_t mode) {
    put({{name, TarEntry::Kind::file, mode, text.size(), {}}, {}, {}, std::move(text)});
  }

  FileTree take() && {
    FileTree tree;
    for (auto& [name, entry] : entries_) {
      tree.bytes += entry.tar.size;
      tree.entries.push_back(std::move(entry));
    }
    return tree;
  }

 private:
  // Of several entries with one name the first one is kept.
  void put(TreeEntry&& entry) { entries_.try_emplace(entry.tar.name, std::move(entry)); }

  std::map<std::string, TreeEntry> entries_;
};

Result<> add_interpreter(Packer& packer, const BasePython& base) {
  packer.add_link("bin/python3", "python");
  packer.add_text("bin/python", std::string(kLauncher), 0755);
  auto added = packer.add(base.executable, "bin/python-itself");
  if (added && base.shared_code)
    added = packer.add(*base.shared_code, fmt::format("lib/{}/{}", kLibraries, base.shared_code->filename().string()));
  const auto packages = base.library_name + "/site-packages";
  packer.add_text(packages + "/ydl_environment.pth", "import _ydl_environment\n", 0644);
  packer.add_text(packages + "/_ydl_environment.py", std::string(kStart), 0644);
  return added;
}

Result<> add_library(Packer& packer, const BasePython& base) {
  std::error_code error;
  for (fs::directory_iterator entry(base.library, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    const auto name = entry->path().filename().string();
    if (std::ranges::find(kLeftOut, name) != kLeftOut.end() || files::IgnoreList::never_read(name)) continue;
    if (auto added = packer.add(entry->path(), base.library_name + "/" + name, base.library); !added) return added;
  }
  if (!error) return {};
  return core::fail(core::system_error(error.value(), fmt::format("cannot read {}", base.library.string())));
}

// A script that starts the environment's own interpreter by its old path gets a first line that finds the new one.
std::optional<std::string> moved_script(const fs::path& path, const fs::path& folder) {
  constexpr std::size_t kLargestScript = 1 << 20U;
  auto text = core::read_file(path, kLargestScript);
  if (!text || !text->starts_with("#!")) return std::nullopt;
  const auto end = text->find('\n');
  const auto program = std::string_view(*text).substr(2, end == std::string::npos ? end : end - 2);
  const auto own = (folder / "bin").string() + "/python";
  if (end == std::string::npos || !program.starts_with(own)) return std::nullopt;
  return fmt::format("#!/bin/sh\n'''exec' \"${{0%/*}}/python\" \"$0\" \"$@\"\n' '''\n{}",
                     std::string_view(*text).substr(end + 1));
}

Result<> add_scripts(Packer& packer, const fs::path& folder) {
  const auto settings = core::read_file(folder / "pyvenv.cfg");
  const bool is_relocatable = settings && settings->find("relocatable = true") != std::string::npos;
  std::error_code error;
  for (fs::directory_iterator entry(folder / "bin", error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    const auto name = entry->path().filename().string();
    std::error_code unknown;
    if (name.starts_with("python") || !entry->is_regular_file(unknown) || entry->is_symlink(unknown)) continue;
    if (auto text = moved_script(entry->path(), folder)) {
      packer.add_text("bin/" + name, *std::move(text), 0755);
    } else if (is_relocatable) {
      if (auto added = packer.add(entry->path(), "bin/" + name); !added) return added;
    }
  }
  return {};
}

// Adds what the tree needs from this machine.
Result<TreeToPack> with_libraries(FileTree tree, const std::string& folder,
                                  std::function<bool(const std::string&)> is_interpreter) {
  const auto needs = native_needs(tree, {std::move(is_interpreter), loader_folders()});
  Packer packer;
  for (const auto& library : needs.libraries) {
    if (auto added = packer.add(library.path, fmt::format("{}/{}", folder, library.name)); !added)
      return core::fail(added.error());
  }
  for (auto& entry : std::move(packer).take().entries) {
    const auto same = [&](const TreeEntry& other) { return other.tar.name == entry.tar.name; };
    if (std::ranges::any_of(tree.entries, same)) continue;
    tree.bytes += entry.tar.size;
    tree.entries.push_back(std::move(entry));
  }
  std::ranges::sort(tree.entries, {}, [](const TreeEntry& entry) -> const std::string& { return entry.tar.name; });
  return TreeToPack{std::move(tree), needs.glibc, needs.packages_glibc};
}

}  // namespace

Result<TreeToPack> environment_tree(const PythonEnv& environment) {
  Packer packer;
  if (!environment.base) {
    auto added = packer.add(without_links(environment.folder), "");
    if (!added) return core::fail(added.error());
    return TreeToPack{std::move(packer).take(), {}, {}};
  }
  const auto& base = *environment.base;
  if (auto added = add_interpreter(packer, base); !added) return core::fail(added.error());
  if (auto added = add_library(packer, base); !added) return core::fail(added.error());
  for (const auto& packages : base.packages) {
    const auto name = base.library_name + "/site-packages";
    if (auto added = packer.add(packages, name); !added) return core::fail(added.error());
  }
  packer.add_link(base.library_name + "/dist-packages", "site-packages");  // Debian's interpreter looks here
  if (auto added = add_scripts(packer, environment.folder); !added) return core::fail(added.error());
  const auto is_interpreter = [packages = base.library_name + "/site-packages/"](const std::string& name) {
    return !name.starts_with(packages);
  };
  return with_libraries(std::move(packer).take(), fmt::format("lib/{}", kLibraries), is_interpreter);
}

Result<TreeToPack> packages_tree(const AddedPackages& packages) {
  Packer packer;
  if (auto added = packer.add(without_links(packages.folder), ""); !added) return core::fail(added.error());
  return with_libraries(std::move(packer).take(), std::string(kLibraries), [](const std::string&) { return false; });
}

}  // namespace ydl::backend
