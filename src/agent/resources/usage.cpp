#include "agent/resources/usage.hpp"

#include "agent/process/proc_tree.hpp"
#include "core/files.hpp"
#include "core/strings.hpp"

#include <algorithm>
#include <set>
#include <unistd.h>

#include <fmt/format.h>

namespace ydl::agent {
namespace {

constexpr int kMostProcesses = 4096;  // of one task; more are not looked at
// Fields of /proc/PID/stat, counted from the state, which follows the name: utime, stime, cutime and cstime; rss.
constexpr std::size_t kFirstTime = 11;
constexpr std::size_t kLastTime = 14;
constexpr std::size_t kMemory = 21;

std::optional<StatCount> count_of(pid_t pid) {
  const auto text = core::read_file(fmt::format("/proc/{}/stat", pid), 4096);
  return text ? parse_stat_count(*text) : std::nullopt;
}

// Whether the kernel lists the children of a process, which is much quicker than looking at all processes.
bool lists_children() {
  static const bool listed = ::access(fmt::format("/proc/self/task/{}/children", ::getpid()).c_str(), R_OK) == 0;
  return listed;
}

std::vector<pid_t> processes_below(pid_t root) {
  std::vector<pid_t> found;
  if (!lists_children()) {
    for (const auto& link : descendants_of(root, list_processes())) found.push_back(link.pid);
    return found;
  }
  std::set<pid_t> seen{root};
  std::vector<pid_t> open{root};
  while (!open.empty() && found.size() < kMostProcesses) {
    const auto pid = open.back();
    open.pop_back();
    for (const auto child : children_of_all_threads(pid)) {
      if (!seen.insert(child).second) continue;
      found.push_back(child);
      open.push_back(child);
    }
  }
  return found;
}

}  // namespace

std::optional<StatCount> parse_stat_count(std::string_view text) {
  const auto close = text.rfind(") ");  // the name before it may hold anything
  if (close == std::string_view::npos) return std::nullopt;
  const auto fields = core::split(core::trim(text.substr(close + 2)), ' ');
  if (fields.size() <= kMemory) return std::nullopt;
  StatCount count;
  for (auto field = kFirstTime; field <= kLastTime; ++field) {
    const auto ticks = core::parse_int<std::int64_t>(fields[field]);
    if (!ticks) return std::nullopt;
    count.cpu_ticks += static_cast<std::uint64_t>(std::max<std::int64_t>(*ticks, 0));
  }
  const auto pages = core::parse_int<std::int64_t>(fields[kMemory]);
  if (!pages) return std::nullopt;
  count.memory_pages = static_cast<std::uint64_t>(std::max<std::int64_t>(*pages, 0));
  return count;
}

UsageCount count_process_tree(pid_t root) {
  static const auto page = static_cast<std::uint64_t>(std::max(1L, ::sysconf(_SC_PAGESIZE)));
  static const auto tick_us = 1'000'000 / static_cast<std::uint64_t>(std::max(1L, ::sysconf(_SC_CLK_TCK)));
  const auto of_root = count_of(root);
  if (!of_root) return {};
  std::uint64_t ticks = of_root->cpu_ticks;
  std::uint64_t pages = 0;
  for (const auto pid : processes_below(root)) {
    const auto count = count_of(pid);
    if (!count) continue;  // it has ended meanwhile
    ticks += count->cpu_ticks;
    pages += count->memory_pages;
  }
  return {ticks * tick_us, pages * page};
}

UsageCount count_usage(const UsageSource& source) {
  UsageCount count;
  if (source.cgroup) count = {source.cgroup->cpu_us(), source.cgroup->memory_in_use()};
  if (count.cpu_us && count.memory_bytes) return count;
  const auto tree = count_process_tree(source.reaper);
  if (!count.cpu_us) count.cpu_us = tree.cpu_us;
  if (!count.memory_bytes) count.memory_bytes = tree.memory_bytes;
  return count;
}

Usage UsageRates::rate(const UsageSource& source, const UsageCount& count, core::Instant now) {
  Usage usage{.memory_bytes = count.memory_bytes};
  if (!count.cpu_us) {
    last_.erase(source.attempt);
    return usage;
  }
  auto& last = last_.try_emplace(source.attempt, Look{0, source.began}).first->second;
  if (now > last.at) {
    // The count of a tree falls where a process ends whose parent does not wait for it.
    const auto used = *count.cpu_us - std::min(*count.cpu_us, last.cpu_us);
    const auto ran_us = static_cast<std::uint64_t>((now - last.at).count()) * 1000;
    usage.cpu_percent = static_cast<int>(std::min<std::uint64_t>(used * 100 / ran_us, 1'000'000));
  }
  last = {*count.cpu_us, now};
  return usage;
}

void UsageRates::keep(const std::vector<UsageSource>& sources) {
  std::erase_if(last_, [&](const auto& entry) {
    return std::ranges::find(sources, entry.first, &UsageSource::attempt) == sources.end();
  });
}

}  // namespace ydl::agent
