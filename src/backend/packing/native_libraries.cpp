#include "backend/packing/native_libraries.hpp"

#include "backend/packing/elf_file.hpp"
#include "core/files.hpp"
#include "core/strings.hpp"
#include "core/user.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <set>

namespace ydl::backend {
namespace {

namespace fs = std::filesystem;

constexpr int kDeepestInclude = 4;

void add_folder(std::vector<fs::path>& folders, const fs::path& folder) {
  if (!folder.is_absolute() || std::ranges::find(folders, folder) != folders.end()) return;
  folders.push_back(folder);
}

// ld.so.conf: a folder per line, and "include PATTERN", of which only the form DIRECTORY/*.conf is in use.
void read_loader_file(const fs::path& path, std::vector<fs::path>& folders, int depth) {
  const auto text = core::read_file(path, 1 << 20U);
  if (!text || depth > kDeepestInclude) return;
  for (auto line : core::split(*text, '\n')) {
    line = core::trim(line.substr(0, line.find('#')));
    constexpr std::string_view kInclude = "include ";
    if (!line.starts_with(kInclude)) {
      add_folder(folders, fs::path(line));
      continue;
    }
    const auto pattern = path.parent_path() / core::trim(line.substr(kInclude.size()));
    if (pattern.filename() != "*.conf") {
      read_loader_file(pattern, folders, depth + 1);
      continue;
    }
    std::vector<fs::path> included;
    std::error_code error;
    for (fs::directory_iterator entry(pattern.parent_path(), error); !error && entry != fs::directory_iterator();
         entry.increment(error)) {
      if (entry->path().extension() == ".conf") included.push_back(entry->path());
    }
    std::ranges::sort(included);
    for (const auto& file : included) read_loader_file(file, folders, depth + 1);
  }
}

bool may_be_elf(const TreeEntry& entry) {
  if (entry.tar.kind != TarEntry::Kind::file || entry.text) return false;
  const auto name = fs::path(entry.tar.name).filename().string();
  return name.ends_with(".so") || name.find(".so.") != std::string::npos || entry.tar.name.starts_with("bin/");
}

class Closure {
 public:
  Closure(const FileTree& tree, const NativeOptions& options) : tree_(tree), options_(options) {
    for (const auto& entry : tree.entries) {
      if (may_be_elf(entry)) brought_.insert(fs::path(entry.tar.name).filename().string());
    }
  }

  NativeNeeds find() && {
    // The interpreter comes first, so that a library that both need counts as the interpreter's.
    for (const bool of_interpreter : {true, false}) {
      for (const auto& entry : tree_.entries) {
        if (may_be_elf(entry) && options_.is_interpreter(entry.tar.name) == of_interpreter)
          follow(entry.source, of_interpreter);
      }
      while (!open_.empty()) {
        const auto path = open_.front();
        open_.pop_front();
        follow(path, of_interpreter);
      }
    }
    for (auto& [name, path] : taken_) needs_.libraries.push_back({name, std::move(path)});
    return std::move(needs_);
  }

 private:
  void follow(const fs::path& path, bool of_interpreter) {
    const auto elf = read_elf(path);
    if (!elf) return;
    auto& glibc = of_interpreter ? needs_.glibc : needs_.packages_glibc;
    glibc = newer_glibc(glibc, elf->glibc);
    for (const auto& name : elf->needed) {
      if (belongs_to_host(name) || taken_.contains(name) || (!of_interpreter && brought_.contains(name))) continue;
      const auto found = search(name, *elf, path);
      if (found.empty()) continue;
      taken_.emplace(name, found);
      open_.push_back(found);
    }
  }

  // The library with this name for the same kind of machine; empty if there is none.
  [[nodiscard]] fs::path search(const std::string& name, const ElfFile& user, const fs::path& user_path) const {
    if (name.find('/') != std::string::npos) return {};
    std::vector<fs::path> folders;
    for (const auto& folder : user.run_path) {
      constexpr std::string_view kOrigin = "$ORIGIN";
      if (folder.starts_with('/')) folders.emplace_back(folder);
      if (folder.starts_with(kOrigin))
        folders.push_back(without_links(user_path).parent_path() / ("." + folder.substr(kOrigin.size())));
    }
    folders.insert(folders.end(), options_.folders.begin(), options_.folders.end());
    for (const auto& folder : folders) {
      const auto path = without_links(folder / name);
      const auto elf = read_elf(path);
      if (elf && elf->machine == user.machine && elf->is_64_bit == user.is_64_bit) return path;
    }
    return {};
  }

  const FileTree& tree_;
  const NativeOptions& options_;
  std::set<std::string> brought_;  // names of libraries in the tree
  std::map<std::string, fs::path> taken_;
  std::deque<fs::path> open_;  // libraries whose needs were not followed yet
  NativeNeeds needs_;
};

}  // namespace

std::vector<fs::path> loader_folders() {
  std::vector<fs::path> folders;
  const auto variable = core::process_getenv("LD_LIBRARY_PATH").value_or("");
  for (const auto folder : core::split(variable, ':')) add_folder(folders, fs::path(folder));
  read_loader_file("/etc/ld.so.conf", folders, 0);
  for (const auto* folder : {"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/lib",
                             "/usr/lib", "/usr/local/lib"})
    add_folder(folders, folder);
  return folders;
}

bool belongs_to_host(const std::string& library) {
  static constexpr std::array<std::string_view, 14> kGlibc{
      "ld-linux",    "libc.so.",    "libm.so.",         "libpthread.so.",     "libdl.so.",
      "librt.so.",   "libutil.so.", "libresolv.so.",    "libanl.so.",         "libmvec.so.",
      "libnsl.so.1", "libnss_",     "libthread_db.so.", "libBrokenLocale.so."};
  static constexpr std::array<std::string_view, 5> kDrivers{"libcuda.so", "libnvidia-", "libnvcuvid.so",
                                                            "libcudadebugger.so", "linux-vdso"};
  const auto starts = [&](std::string_view prefix) { return library.starts_with(prefix); };
  return std::ranges::any_of(kGlibc, starts) || std::ranges::any_of(kDrivers, starts);
}

NativeNeeds native_needs(const FileTree& tree, const NativeOptions& options) {
  return Closure(tree, options).find();
}

}  // namespace ydl::backend
