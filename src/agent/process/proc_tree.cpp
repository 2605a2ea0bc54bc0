#include "agent/process/proc_tree.hpp"

#include "core/files.hpp"
#include "core/strings.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <dirent.h>
#include <fcntl.h>
#include <map>
#include <memory>
#include <string>
#include <unistd.h>

#include <fmt/format.h>

namespace ydl::agent {
namespace {

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

std::optional<ProcessLink> read_link(int proc, const char* pid) {
  std::array<char, 64> name{};
  std::snprintf(name.data(), name.size(), "%s/stat", pid);
  const core::UniqueFd fd(::openat(proc, name.data(), O_RDONLY | O_CLOEXEC));
  if (!fd) return std::nullopt;
  std::array<char, 1024> text{};
  const auto n = ::read(fd.get(), text.data(), text.size());
  if (n <= 0) return std::nullopt;
  return parse_stat({text.data(), static_cast<std::size_t>(n)});
}

}  // namespace

std::optional<ProcessLink> parse_stat(std::string_view text) {
  const auto open = text.find(" (");
  const auto close = text.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open + 2) return std::nullopt;
  const auto pid = core::parse_int<pid_t>(text.substr(0, open));
  if (close + 4 > text.size() || text[close + 1] != ' ' || text[close + 3] != ' ') return std::nullopt;
  ProcessLink link;
  link.state = text[close + 2];
  auto rest = text.substr(close + 4);
  std::array<pid_t, 3> numbers{};
  for (auto& number : numbers) {
    const auto space = rest.find(' ');
    const auto value = core::parse_int<pid_t>(rest.substr(0, space));
    if (!value || space == std::string_view::npos) return std::nullopt;
    number = *value;
    rest.remove_prefix(space + 1);
  }
  if (!pid || *pid <= 0) return std::nullopt;
  link.pid = *pid;
  link.parent = numbers[0];
  link.group = numbers[1];
  link.session = numbers[2];
  return link;
}

std::vector<ProcessLink> list_processes() {
  std::vector<ProcessLink> all;
  const std::unique_ptr<DIR, CloseDirectory> proc(::opendir("/proc"));
  if (!proc) return all;
  while (const auto* entry = ::readdir(proc.get())) {
    if (entry->d_name[0] < '1' || entry->d_name[0] > '9') continue;
    if (const auto link = read_link(::dirfd(proc.get()), entry->d_name)) all.push_back(*link);
  }
  return all;
}

namespace {

void add_children(std::vector<pid_t>& children, pid_t pid, std::string_view thread) {
  const auto text = core::read_file(fmt::format("/proc/{}/task/{}/children", pid, thread));
  if (!text) return;
  for (const auto word : core::split(*text, ' ')) {
    if (const auto child = core::parse_int<pid_t>(word)) children.push_back(*child);
  }
}

}  // namespace

std::vector<pid_t> children_of(pid_t pid) {
  std::vector<pid_t> children;
  add_children(children, pid, std::to_string(pid));
  return children;
}

std::vector<pid_t> children_of_all_threads(pid_t pid) {
  std::vector<pid_t> children;
  const std::unique_ptr<DIR, CloseDirectory> threads(::opendir(fmt::format("/proc/{}/task", pid).c_str()));
  if (!threads) return children;
  while (const auto* entry = ::readdir(threads.get())) {
    if (entry->d_name[0] != '.') add_children(children, pid, entry->d_name);
  }
  return children;
}

std::vector<ProcessLink> descendants_of(pid_t root, std::span<const ProcessLink> all, std::span<const pid_t> except) {
  std::multimap<pid_t, const ProcessLink*> children;
  for (const auto& link : all) children.emplace(link.parent, &link);
  std::vector<ProcessLink> found;
  std::vector<pid_t> open{root};
  while (!open.empty()) {
    const auto [first, last] = children.equal_range(open.back());
    std::vector<const ProcessLink*> next;
    for (auto it = first; it != last; ++it) next.push_back(it->second);
    // The list was not read at one moment. Ids that were reused meanwhile could form a cycle, so each parent is visited
    // only once.
    children.erase(first, last);
    open.pop_back();
    for (const auto* link : next) {
      if (link->pid == root || std::ranges::find(except, link->pid) != except.end()) continue;
      found.push_back(*link);
      open.push_back(link->pid);
    }
  }
  return found;
}

std::string process_name(pid_t pid) {
  const auto name = core::read_file("/proc/" + std::to_string(pid) + "/comm", 4096);
  return name ? core::printable(core::trim(*name)) : std::string();
}

}  // namespace ydl::agent
