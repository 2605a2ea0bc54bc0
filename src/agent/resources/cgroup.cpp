#include "agent/resources/cgroup.hpp"

#include "agent/resources/cgroup_files.hpp"
#include "core/files.hpp"
#include "core/strings.hpp"

#include <algorithm>
#include <cerrno>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

namespace ydl::agent {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kPeriodUs = 100'000;

bool is_there(const fs::path& file) {
  return ::access(file.c_str(), F_OK) == 0;
}

core::Result<void> set_if_there(const fs::path& file, std::string_view value) {
  return is_there(file) ? set_value(file, value) : core::Result<void>();
}

core::Result<void> limit_memory(CgroupVersion version, const fs::path& directory, std::uint64_t bytes) {
  const auto value = std::to_string(bytes);
  if (version == CgroupVersion::v1) {
    if (auto set = set_value(directory / "memory.limit_in_bytes", value); !set) return set;
    return set_if_there(directory / "memory.memsw.limit_in_bytes",
                        value);  // the limit of memory plus swap, so that swap is not used
  }
  if (auto set = set_value(directory / "memory.max", value); !set) return set;
  if (auto set = set_if_there(directory / "memory.swap.max", "0"); !set) return set;
  // Running out of memory ends the whole task, because a task that lost some of its processes usually hangs.
  return set_if_there(directory / "memory.oom.group", "1");
}

core::Result<void> limit_cpu(CgroupVersion version, const fs::path& directory, int vcores) {
  const auto quota = kPeriodUs * std::max(vcores, 1);
  if (version == CgroupVersion::v2) {
    return set_value(directory / "cpu.max", fmt::format("{} {}", quota, kPeriodUs));
  }
  if (auto set = set_value(directory / "cpu.cfs_period_us", std::to_string(kPeriodUs)); !set) return set;
  return set_value(directory / "cpu.cfs_quota_us", std::to_string(quota));
}

// Whether name_for() makes such names. Other cgroups are never removed.
bool is_ours(std::string_view name) {
  const auto dash = name.rfind('-');
  return name.starts_with("ydl-") && dash > 4 && core::parse_int<int>(name.substr(dash + 1)).has_value();
}

bool remove_directory(const fs::path& directory) {
  return ::rmdir(directory.c_str()) == 0 || errno == ENOENT;
}

}  // namespace

CgroupView CgroupView::of_this_process() {
  CgroupView view;
  view.own = core::read_file("/proc/self/cgroup").value_or("");
  view.pid = ::getpid();
  return view;
}

bool TaskCgroup::oom_killed() const {
  if (memory_.empty()) return false;
  const auto text = core::read_file(memory_ / (version_ == CgroupVersion::v2 ? "memory.events" : "memory.oom_control"));
  return text && keyed_number(*text, "oom_kill").value_or(0) > 0;
}

std::optional<std::uint64_t> TaskCgroup::peak_memory() const {
  if (memory_.empty()) return std::nullopt;
  return number_of(memory_ / (version_ == CgroupVersion::v2 ? "memory.peak" : "memory.max_usage_in_bytes"));
}

std::optional<std::uint64_t> TaskCgroup::cpu_us() const {
  for (const auto& directory : directories_) {
    if (version_ == CgroupVersion::v1) {
      if (const auto nanoseconds = number_of(directory / "cpuacct.usage")) return *nanoseconds / 1000;
    } else if (const auto text = core::read_file(directory / "cpu.stat")) {
      if (const auto microseconds = keyed_number(*text, "usage_usec")) return microseconds;
    }
  }
  return std::nullopt;
}

std::optional<std::uint64_t> TaskCgroup::memory_in_use() const {
  if (memory_.empty()) return std::nullopt;
  const bool is_v2 = version_ == CgroupVersion::v2;
  const auto all = number_of(memory_ / (is_v2 ? "memory.current" : "memory.usage_in_bytes"));
  if (!all) return std::nullopt;
  const auto text = core::read_file(memory_ / "memory.stat");
  const auto idle = text ? keyed_number(*text, is_v2 ? "inactive_file" : "total_inactive_file") : std::nullopt;
  return *all - std::min(*all, idle.value_or(0));
}

bool TaskCgroup::remove() {
  std::erase_if(directories_, remove_directory);
  return directories_.empty();
}

std::vector<fs::path> Cgroups::bases() const {
  std::vector<fs::path> found;
  if (limits_memory()) found.push_back(memory_base_);
  if (limits_cpu() && cpu_base_ != memory_base_) found.push_back(cpu_base_);
  return found;
}

core::Result<TaskCgroup> Cgroups::create(const std::string& name, const CgroupLimits& limits) {
  if (bases().empty()) return core::fail(core::Errc::no_capacity, why_not_);
  if (auto enabled = enable_controllers(); !enabled) return core::fail(std::move(enabled.error()));
  TaskCgroup made;
  made.version_ = version_;
  const auto give_up = [&made](core::Error error) {
    [[maybe_unused]] const bool removed = made.remove();
    return core::fail(std::move(error));
  };
  for (const auto& base : bases()) {
    const auto directory = base / name;
    // An earlier attempt with this name has left it, because it could not be removed then. It is reused.
    if (::mkdir(directory.c_str(), 0755) != 0 && errno != EEXIST) {
      return give_up(core::system_error(errno, fmt::format("cannot create the cgroup {}", directory.string())));
    }
    made.directories_.push_back(directory);
  }
  if (limits_memory()) made.memory_ = memory_base_ / name;
  if (limits_memory() && limits.memory_bytes) {
    if (auto set = limit_memory(version_, made.memory_, *limits.memory_bytes); !set) return give_up(set.error());
  }
  if (limits_cpu() && limits.vcores) {
    if (auto set = limit_cpu(version_, cpu_base_ / name, *limits.vcores); !set) return give_up(set.error());
  }
  return made;
}

std::string Cgroups::name_for(const std::string& job, const std::string& task, int attempt) {
  auto name = fmt::format("ydl-{}-{}-{}", job, task, attempt);
  std::ranges::replace(name, '/', '_');
  return name;
}

int Cgroups::remove_leftovers(core::WallTime now, core::Millis age) const {
  int removed = 0;
  for (const auto& base : bases()) {
    std::error_code error;
    std::vector<fs::path> ours;
    for (fs::directory_iterator entry(base, error); !error && entry != fs::directory_iterator();
         entry.increment(error)) {
      struct stat status{};
      if (!is_ours(entry->path().filename().string()) || ::lstat(entry->path().c_str(), &status) != 0) continue;
      const core::WallTime made{core::Seconds(status.st_mtim.tv_sec)};
      if (S_ISDIR(status.st_mode) && now - made > age) ours.push_back(entry->path());
    }
    // The kernel refuses to remove a cgroup that contains a process.
    removed += static_cast<int>(std::ranges::count_if(ours, remove_directory));
  }
  return removed;
}

}  // namespace ydl::agent
