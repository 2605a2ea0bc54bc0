#include "backend/packing/python_env.hpp"

#include "core/files.hpp"
#include "files/ignore_list.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>

#include <fmt/format.h>

namespace ydl::backend {
namespace {

namespace fs = std::filesystem;
using core::Result;

// Parts of a standard library that no job needs, and the folders of packages, which do not belong to the environment.
constexpr std::array<std::string_view, 5> kLeftOut{"test", "idlelib", "turtledemo", "site-packages", "dist-packages"};

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
  if (!base.shared_code) return packer.add(base.executable, "bin/python");
  auto added = packer.add(base.launcher, "bin/python");
  if (added) added = packer.add(base.executable, "bin/python-itself");
  if (added) added = packer.add(*base.shared_code, "lib/" + base.shared_code->filename().string());
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

// Scripts beside the interpreter contain its old path, unless the environment was made relocatable.
Result<> add_scripts(Packer& packer, const fs::path& folder) {
  const auto settings = core::read_file(folder / "pyvenv.cfg");
  if (!settings || settings->find("relocatable = true") == std::string::npos) return {};
  std::error_code error;
  for (fs::directory_iterator entry(folder / "bin", error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    const auto name = entry->path().filename().string();
    std::error_code unknown;
    if (name.starts_with("python") || !entry->is_regular_file(unknown) || entry->is_symlink(unknown)) continue;
    if (auto added = packer.add(entry->path(), "bin/" + name); !added) return added;
  }
  return {};
}

}  // namespace

Result<FileTree> environment_tree(const PythonEnv& environment) {
  Packer packer;
  if (!environment.base) {
    auto added = packer.add(without_links(environment.folder), "");
    if (!added) return core::fail(added.error());
    return std::move(packer).take();
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
  return std::move(packer).take();
}

}  // namespace ydl::backend
