// Finds out where cgroups can be created. There are three layouts: version 1, version 2, and both (then the controllers
// belong to version 1).
#include "agent/resources/cgroup.hpp"
#include "agent/resources/cgroup_files.hpp"

#include <algorithm>
#include <cerrno>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

namespace ydl::agent {
namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& file) {
  return ::access(file.c_str(), F_OK) == 0;
}

bool has(const std::vector<std::string>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

fs::path below(const fs::path& root, const std::string& absolute) {
  return root / fs::path(absolute).relative_path();
}

// The directory of a version 1 controller, or nothing if it is not mounted. In a container the path that the kernel
// names may not be visible; then the visible root is the cgroup of the container.
std::optional<fs::path> v1_directory(const CgroupView& view, std::string_view controller) {
  const auto path = own_cgroup(view.own, controller);
  const auto together = mounted_together(view.own, controller);
  if (!path || !together) return std::nullopt;
  for (const auto& name : {*together, std::string(controller)}) {
    const auto mounted = view.root / name;
    if (!is_there(mounted / "cgroup.procs")) continue;
    const auto own = below(mounted, *path);
    return is_there(own / "cgroup.procs") ? own : mounted;
  }
  return std::nullopt;
}

// In version 2 a cgroup can have either processes or limited children, except for the root. Returns whether `directory`
// can have such children, if necessary after moving this process out of it.
bool can_have_children(const fs::path& directory, pid_t pid) {
  if (!is_there(directory / "cgroup.type")) return true;  // the root
  return std::ranges::all_of(words_of(directory / "cgroup.procs"),
                             [pid](const std::string& word) { return word == std::to_string(pid); });
}

struct Found {
  bool memory = false;
  bool cpu = false;
};

Found controllers_for_children(const fs::path& directory, pid_t pid) {
  const auto enabled = words_of(directory / "cgroup.subtree_control");
  const auto available = words_of(directory / "cgroup.controllers");
  const bool can_enable =
      ::access((directory / "cgroup.subtree_control").c_str(), W_OK) == 0 && can_have_children(directory, pid);
  const auto usable = [&](std::string_view name) { return has(enabled, name) || (can_enable && has(available, name)); };
  return {usable("memory"), usable("cpu")};
}

std::string what_is_missing(const fs::path& memory, const fs::path& cpu) {
  if (memory.empty() && cpu.empty()) return "memory and cpu limits are not enforced";
  return memory.empty() ? "memory limits are not enforced" : "cpu limits are not enforced";
}

}  // namespace

Cgroups Cgroups::detect(const CgroupView& view) {
  Cgroups found;
  found.pid_ = view.pid;
  if (is_there(view.root / "cgroup.controllers")) {
    found.version_ = CgroupVersion::v2;
    found.detect_v2(view);
  } else {
    found.version_ = CgroupVersion::v1;
    found.detect_v1(view);
  }
  return found;
}

void Cgroups::detect_v1(const CgroupView& view) {
  const auto memory = v1_directory(view, "memory");
  const auto cpu = v1_directory(view, "cpu");
  if (memory && may_manage(*memory)) memory_base_ = *memory;
  if (cpu && may_manage(*cpu)) cpu_base_ = *cpu;
  if (limits_memory() && limits_cpu()) return;
  const auto missing = what_is_missing(memory_base_, cpu_base_);
  const auto& refused = limits_memory() ? cpu : memory;
  if (!refused) {
    why_not_ = fmt::format("{}: no such cgroup controller is mounted at {}", missing, view.root.string());
  } else {
    why_not_ = fmt::format(
        "{}: this user may not create cgroups in {}; run as root, or ask an administrator for access to that "
        "directory",
        missing, refused->string());
  }
}

void Cgroups::detect_v2(const CgroupView& view) {
  auto own = below(view.root, own_cgroup(view.own, "").value_or("/"));
  if (!is_there(own / "cgroup.procs")) own = view.root;
  fs::path partial;
  bool may_manage_any = false;
  // From the cgroup of this process upwards: the nearest one that can limit both, else the nearest that can limit one.
  for (auto directory = own; may_manage(directory); directory = directory.parent_path()) {
    may_manage_any = true;
    const auto usable = controllers_for_children(directory, view.pid);
    if (usable.memory && usable.cpu) {
      memory_base_ = cpu_base_ = directory;
      return;
    }
    if ((usable.memory || usable.cpu) && partial.empty()) partial = directory;
    if (directory == view.root || !directory.string().starts_with(view.root.string())) break;
  }
  if (!partial.empty()) {
    const auto usable = controllers_for_children(partial, view.pid);
    (usable.memory ? memory_base_ : cpu_base_) = partial;
  }
  const auto missing = what_is_missing(memory_base_, cpu_base_);
  if (!may_manage_any) {
    why_not_ = fmt::format(
        "{}: this user may not create cgroups in {}; run as root, or in a scope delegated to you "
        "with 'systemd-run --user --scope -p Delegate=yes'",
        missing, own.string());
  } else {
    why_not_ = fmt::format(
        "{}: no cgroup from {} upwards that this user may change has the controllers and no "
        "other processes; run in a separate scope with 'systemd-run --scope -p Delegate=yes'",
        missing, own.string());
  }
}

core::Result<void> Cgroups::enable_controllers() {
  if (version_ == CgroupVersion::v1) return {};
  for (const auto& base : bases()) {
    std::string wanted;
    const auto enabled = words_of(base / "cgroup.subtree_control");
    if (base == memory_base_ && !has(enabled, "memory")) wanted += "+memory ";
    if (base == cpu_base_ && !has(enabled, "cpu")) wanted += "+cpu ";
    if (wanted.empty()) continue;
    if (is_there(base / "cgroup.type") && has(words_of(base / "cgroup.procs"), std::to_string(pid_))) {
      const auto leaf = base / fmt::format("ydl-agent-{}", pid_);
      if (::mkdir(leaf.c_str(), 0755) != 0 && errno != EEXIST) {
        return core::fail(core::system_error(errno, fmt::format("cannot create the cgroup {}", leaf.string())));
      }
      if (auto moved = set_value(leaf / "cgroup.procs", std::to_string(pid_)); !moved) return moved;
    }
    wanted.pop_back();
    if (auto set = set_value(base / "cgroup.subtree_control", wanted); !set) return set;
  }
  return {};
}

}  // namespace ydl::agent
