#include "client/log_reader.hpp"

#include "core/strings.hpp"

#include <algorithm>
#include <array>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace ydl::client {
namespace {

namespace fs = std::filesystem;

// A line that never ends is shown in pieces of this size.
constexpr std::size_t kLongestLine = std::size_t{64} << 10U;
constexpr std::size_t kMostBytes = std::size_t{256} << 10U;  // of one poll

// "worker-0" back to worker:0; nothing for master.log and the like.
std::optional<core::TaskId> task_of(const std::string& folder_name) {
  const auto dash = folder_name.rfind('-');
  if (dash == std::string::npos || dash == 0) return std::nullopt;
  const auto index = core::parse_int<int>(std::string_view(folder_name).substr(dash + 1));
  if (!index || *index < 0) return std::nullopt;
  return core::TaskId{folder_name.substr(0, dash), *index};
}

std::vector<fs::path> children(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator(); entry.increment(error))
    paths.push_back(entry->path());
  std::ranges::sort(paths);
  return paths;
}

}  // namespace

void LogReader::discover() {
  for (const auto& task_folder : children(folder_.logs())) {
    const auto task = task_of(task_folder.filename().string());
    if (!task || (!filter_.task.empty() && task->str() != filter_.task)) continue;
    for (const auto& attempt_folder : children(task_folder)) {
      const auto attempt = core::parse_int<int>(attempt_folder.filename().string());
      if (!attempt) continue;
      attempts_.insert(*attempt);
      if (filter_.attempt != 0 && *attempt != filter_.attempt) continue;
      for (const auto* stream : {"stdout", "stderr"}) {
        if (!filter_.stream.empty() && filter_.stream != stream) continue;
        files_.try_emplace((attempt_folder / stream).string(), File{*task, stream, 0, {}});
      }
    }
  }
}

bool LogReader::poll(const Take& take) {
  discover();
  std::size_t budget = kMostBytes;
  bool has_more = false;
  for (auto& [path, file] : files_) has_more = read(path, file, budget, take) || has_more;
  return has_more;
}

bool LogReader::read(const std::string& path, File& file, std::size_t& budget, const Take& take) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0 || static_cast<std::uint64_t>(status.st_size) <= file.offset) return false;
  const core::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return false;
  std::array<char, std::size_t{64} * 1024> buffer{};
  for (;;) {
    const auto n = ::pread(fd.get(), buffer.data(), std::min(budget, buffer.size()), static_cast<off_t>(file.offset));
    if (n <= 0) return budget == 0;
    budget -= static_cast<std::size_t>(n);
    file.offset += static_cast<std::uint64_t>(n);
    std::string_view bytes(buffer.data(), static_cast<std::size_t>(n));
    for (auto newline = bytes.find('\n'); newline != std::string_view::npos; newline = bytes.find('\n')) {
      file.partial += bytes.substr(0, newline);
      bytes.remove_prefix(newline + 1);
      take({file.task, file.stream, std::exchange(file.partial, {})});
    }
    file.partial += bytes;
    if (file.partial.size() > kLongestLine) take({file.task, file.stream, std::exchange(file.partial, {})});
  }
}

bool LogReader::drain(const Take& take) {
  if (poll(take)) return false;
  for (auto& [path, file] : files_) {
    if (!file.partial.empty()) take({file.task, file.stream, std::exchange(file.partial, {})});
  }
  return true;
}

}  // namespace ydl::client
