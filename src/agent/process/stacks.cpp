#include "agent/process/stacks.hpp"

#include "agent/process/proc_tree.hpp"
#include "agent/process/run_program.hpp"
#include "core/files.hpp"
#include "core/strings.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

namespace ydl::agent {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostThreads = 256;  // of one process; more would not help a reader
constexpr std::size_t kMostProcesses = 256;
constexpr std::size_t kSmallFile = std::size_t{64} << 10U;
constexpr core::Millis kPySpyTime = core::Seconds(5);

std::string read_small(const fs::path& file) {
  return core::read_file(file, kSmallFile).value_or("");
}

std::string_view state_in_words(char state) {
  switch (state) {
    case 'R':
      return "runs";
    case 'S':
      return "sleeps";
    case 'D':
      return "waits for a device or a file system";
    case 'T':
    case 't':
      return "is stopped";
    default:
      return "has ended";
  }
}

std::string command_line(pid_t pid) {
  auto text = read_small(fmt::format("/proc/{}/cmdline", pid));
  while (text.ends_with('\0')) text.pop_back();
  std::ranges::replace(text, '\0', ' ');
  constexpr std::size_t kShown = 500;
  if (text.size() > kShown) text = text.substr(0, kShown) + "…";
  return text.empty() ? process_name(pid) : core::printable(text);
}

std::string indented(std::string_view lines, std::string_view indent) {
  std::string text;
  for (const auto line : core::split(lines, '\n')) {
    if (!core::trim(line).empty()) text += fmt::format("{}{}\n", indent, core::printable(line));
  }
  return text;
}

std::string describe_thread(const fs::path& thread) {
  const auto link = parse_stat(read_small(thread / "stat"));
  if (!link) return "";
  auto text = fmt::format("  thread {} ({}) {}", thread.filename().string(),
                          core::printable(core::trim(read_small(thread / "comm"))), state_in_words(link->state));
  if (const auto in = read_small(thread / "wchan"); !in.empty() && in != "0")
    text += fmt::format(" in {}", core::printable(in));
  text += '\n';
  text += indented(read_small(thread / "stack"), "    ");  // readable by root only
  return text;
}

std::string describe_process(pid_t pid) {
  auto text = fmt::format("process {}: {}\n", pid, command_line(pid));
  std::error_code error;
  std::size_t threads = 0;
  for (fs::directory_iterator entry(fmt::format("/proc/{}/task", pid), error), end; !error && entry != end;
       entry.increment(error)) {
    if (++threads <= kMostThreads) text += describe_thread(entry->path());
  }
  if (threads > kMostThreads) text += fmt::format("  and {} more threads\n", threads - kMostThreads);
  return text;
}

bool is_python(pid_t pid) {
  std::error_code error;
  return fs::read_symlink(fmt::format("/proc/{}/exe", pid), error).filename().string().starts_with("python");
}

std::vector<pid_t> processes_below(pid_t root) {
  std::vector<pid_t> pids;
  for (const auto& process : descendants_of(root, list_processes())) {
    if (!process.is_zombie()) pids.push_back(process.pid);
  }
  return pids;
}

// Readable by the group like the logs of the task, so that the pages of a NodeManager can show the file.
core::Result<> write_log(const fs::path& file, std::string_view text) {
  const core::UniqueFd fd(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0640));
  if (!fd) return core::fail(core::system_error(errno, fmt::format("cannot write {}", file.string())));
  (void)::fchmod(fd.get(), 0640);
  return core::write_all(fd.get(), text);
}

}  // namespace

core::Result<std::vector<pid_t>> write_stacks(const StacksRequest& request) {
  const auto deadline = core::steady_now() + request.limit;
  const auto py_spy = find_program("py-spy", request.path);
  auto text = request.heading + "\n";
  std::vector<pid_t> missing;
  auto pids = processes_below(request.root);
  const auto left_out = pids.size() > kMostProcesses ? pids.size() - kMostProcesses : 0;
  pids.resize(pids.size() - left_out);
  for (const auto pid : pids) {
    text += "\n" + describe_process(pid);
    if (!is_python(pid)) continue;
    const auto left = std::min(kPySpyTime, std::chrono::duration_cast<core::Millis>(deadline - core::steady_now()));
    const auto dump = py_spy && left > core::Millis(0)
                          ? run_program({*py_spy, "dump", "--pid", std::to_string(pid)}, left)
                          : core::fail(core::Errc::not_found, "there is no py-spy on its PATH");
    if (dump && dump->shell_code == 0)
      text += indented(dump->output, "  ");
    else
      missing.push_back(pid);
  }
  if (left_out > 0) text += fmt::format("\nand {} more processes\n", left_out);
  if (!missing.empty()) text += "\nThe stacks of Python are at the end of its standard error.\n";
  std::ranges::reverse(missing);
  if (auto written = write_log(request.file, text); !written) return core::fail(written.error());
  return missing;
}

void abort_python(pid_t pid) {
  rlimit limit{};
  if (::prlimit(pid, RLIMIT_CORE, nullptr, &limit) == 0) {
    limit.rlim_cur = 0;
    ::prlimit(pid, RLIMIT_CORE, &limit, nullptr);
  }
  ::kill(pid, SIGABRT);
}

}  // namespace ydl::agent
