#include "agent/files/log_index.hpp"

#include "core/files.hpp"
#include "core/log.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <utility>

#include <fmt/format.h>

namespace ydl::agent {

LogIndex::LogIndex(const std::filesystem::path& log) : path_(log.string() + std::string(files::kTimesSuffix)) {}

void LogIndex::look(std::uint64_t size, core::Instant now, core::WallTime wall) {
  const auto step = plan_.look(size, now, wall);
  if (step.begins_anew || !step.bytes.empty()) write(step);
}

void LogIndex::finish() {
  if (auto last = plan_.finish(); !last.empty()) write({.begins_anew = false, .bytes = std::move(last)});
}

namespace {

// That of the logs themselves: the NodeManager's group collects them.
constexpr mode_t kMode = 0640;

}  // namespace

void LogIndex::write(const files::LogTimesPlan::Step& step) {
  // The task can write into this folder too: a link or a FIFO of its own must not lead or hold the agent.
  const int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  const core::UniqueFd fd(::open(path_.c_str(), step.begins_anew ? flags | O_TRUNC : flags, kMode));
  if (fd && !std::exchange(has_mode_, true)) (void)::fchmod(fd.get(), kMode);  // whatever the umask is
  // The beginning of an entry could be read as an entry with another time.
  const auto bytes = std::exchange(is_torn_, false) && !step.begins_anew ? " torn\n" + step.bytes : step.bytes;
  auto written = fd ? core::write_all(fd.get(), bytes) : core::fail(core::system_error(errno, "cannot open it"));
  is_torn_ = !written;
  if (!written && !std::exchange(has_failed_, true))
    core::log("{}: {}; lines of this log may have no times", path_.string(), written.error().message);
}

}  // namespace ydl::agent
