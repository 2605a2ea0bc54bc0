#include "cli/commands/foreign_logs.hpp"

#include "cli/commands/common.hpp"
#include "core/files.hpp"
#include "core/strings.hpp"
#include "ui/json.hpp"

#include <unistd.h>
#include <utility>

#include <fmt/format.h>

namespace ydl::cli {
namespace {

// A line that never ends is shown in pieces of this size.
constexpr std::size_t kLongestLine = std::size_t{64} << 10U;

}  // namespace

net::Async<> ForeignLogs::poll() {
  const auto job = co_await master_.job();
  if (!job) co_return core::fail(job.error());
  bool found = filter_.task.empty();
  for (const auto& task : job->tasks) {
    if (!filter_.task.empty() && task.id.str() != filter_.task) continue;
    found = true;
    for (const auto* stream : {"stdout", "stderr"}) {
      if (!filter_.stream.empty() && filter_.stream != stream) continue;
      const Key key{task.id, filter_.attempt == 0 ? task.attempt : filter_.attempt, stream};
      co_await read(key, files_[key]);
    }
  }
  if (!found) co_return core::fail(core::Errc::not_found, fmt::format("the job has no task {}", filter_.task));
  co_return core::Result<>{};
}

net::awaitable<void> ForeignLogs::read(const Key& key, File& file) {
  const auto& [task, attempt, stream] = key;
  for (;;) {
    const auto piece = co_await master_.log({task, attempt}, stream, file.offset);
    file.trouble = piece ? "" : piece.error().message;
    if (!piece || piece->empty()) co_return;
    file.offset += piece->size();
    file.partial += *piece;
    std::size_t begin = 0;
    for (auto end = file.partial.find('\n'); end != std::string::npos; end = file.partial.find('\n', begin)) {
      print_line(key, std::string_view(file.partial).substr(begin, end - begin));
      begin = end + 1;
    }
    file.partial.erase(0, begin);
    if (file.partial.size() > kLongestLine) print_line(key, std::exchange(file.partial, {}));
  }
}

void ForeignLogs::print_line(const Key& key, std::string_view line) const {
  const auto& [task, attempt, stream] = key;
  if (!json_of_.empty()) {
    print(ui::json_log_line({task, stream, std::string(line)}, json_of_));
    return;
  }
  const bool prefixed = filter_.task.empty();
  const int fd = !prefixed && stream == "stderr" ? STDERR_FILENO : STDOUT_FILENO;
  // Another user wrote the line: the terminal must not interpret it.
  const auto shown = ::isatty(fd) == 1 ? core::printable(line) : std::string(line);
  (void)core::write_all(fd, prefixed ? fmt::format("[{}] {}\n", task.str(), shown) : shown + "\n");
}

void ForeignLogs::finish_lines() {
  for (auto& [key, file] : files_) {
    if (!file.partial.empty()) print_line(key, std::exchange(file.partial, {}));
  }
}

int ForeignLogs::complain_of_missing() const {
  int code = 0;
  for (const auto& [key, file] : files_) {
    if (file.trouble.empty()) continue;
    code = complain({make_error_code(core::Errc::unavailable),
                     fmt::format("{} of {}: {}", std::get<2>(key), std::get<0>(key).str(), file.trouble)});
  }
  return code;
}

}  // namespace ydl::cli
