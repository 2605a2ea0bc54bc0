#include "client/log_reader.hpp"

#include "core/files.hpp"

#include <algorithm>
#include <array>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace ydl::client {
namespace {

// A line that never ends is shown in pieces of this size.
constexpr std::size_t kLongestLine = std::size_t{64} << 10U;
constexpr std::size_t kMostBytes = std::size_t{256} << 10U;  // of one poll

}  // namespace

void LogReader::discover() {
  auto found = find_logs(folder_, filter_);
  attempts_.merge(found.attempts);
  for (auto& log : found.files)
    files_.try_emplace(log.path.string(), File{std::move(log.task), std::move(log.stream), 0, {}});
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
  if (::stat(path.c_str(), &status) != 0) return false;
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size < file.offset) {  // the task has truncated its log
    file.offset = 0;
    file.partial.clear();
  }
  if (size <= file.offset) return false;
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
