#include "agent/process/handled_signals.hpp"

#include "agent/process/proc_tree.hpp"
#include "core/files.hpp"
#include "core/strings.hpp"

#include <charconv>
#include <csignal>
#include <cstdint>

#include <fmt/format.h>

namespace ydl::agent {

bool handles_signal(std::string_view status, int signal) {
  constexpr std::string_view kKey = "\nSigCgt:";
  const auto at = status.find(kKey);
  if (at == std::string_view::npos) return false;
  const auto line = core::trim(status.substr(at + kKey.size(), status.find('\n', at + 1) - at - kKey.size()));
  std::uint64_t mask = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), mask, 16);
  const bool is_read = error == std::errc{} && end == line.data() + line.size();
  return is_read && (mask >> static_cast<unsigned>(signal - 1) & 1U) != 0;
}

int signal_handlers(pid_t root, int signal) {
  int told = 0;
  for (const auto& process : descendants_of(root, list_processes())) {
    const auto status = core::read_file(fmt::format("/proc/{}/status", process.pid), std::size_t{64} << 10U);
    if (status && handles_signal(*status, signal) && ::kill(process.pid, signal) == 0) ++told;
  }
  return told;
}

}  // namespace ydl::agent
