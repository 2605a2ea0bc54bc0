#include "cli/commands/foreign_logs.hpp"

#include "cli/commands/common.hpp"
#include "client/log_files.hpp"

#include <optional>
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
  bool found = command_.task.empty();
  for (const auto& task : job->tasks) {
    if (!client::names_task(command_.task, task.id)) continue;
    found = true;
    for (const auto* stream : {"stdout", "stderr"}) {
      if (!command_.stream.empty() && command_.stream != stream) continue;
      const Key key{task.id, command_.attempt == 0 ? task.attempt : command_.attempt, stream};
      co_await read(key, files_[key]);
    }
  }
  if (!found) co_return core::fail(core::Errc::not_found, fmt::format("the job has no task {}", command_.task));
  for (auto& [key, file] : files_) {
    for (const auto& line : std::exchange(file.last, {})) print_line(key, line, LineEnd::there);
  }
  is_first_poll_ = false;
  printer_.flush();
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
      take_line(key, file, std::string_view(file.partial).substr(begin, end - begin));
      begin = end + 1;
    }
    file.partial.erase(0, begin);
    if (file.partial.size() > kLongestLine) print_line(key, std::exchange(file.partial, {}), LineEnd::missing);
  }
}

void ForeignLogs::take_line(const Key& key, File& file, std::string_view line) {
  if (!line.contains(command_.grep)) return;
  if (!command_.tail || !is_first_poll_) return print_line(key, line, LineEnd::there);
  file.last.emplace_back(line);
  if (file.last.size() > *command_.tail) file.last.pop_front();
}

void ForeignLogs::print_line(const Key& key, std::string_view line, LineEnd end) {
  const auto& [task, attempt, stream] = key;
  if (!line.contains(command_.grep)) return;
  const auto time = is_first_poll_ ? std::nullopt : std::optional(core::wall_now());
  printer_.print({task, stream, line, end == LineEnd::there, time, attempt});
}

void ForeignLogs::finish_lines() {
  for (auto& [key, file] : files_) {
    if (!file.partial.empty()) print_line(key, std::exchange(file.partial, {}), LineEnd::missing);
  }
  printer_.flush();
}

int ForeignLogs::complain_of_missing() {
  printer_.flush();
  int code = 0;
  for (const auto& [key, file] : files_) {
    if (file.trouble.empty()) continue;
    code = complain({make_error_code(core::Errc::unavailable),
                     fmt::format("{} of {}: {}", std::get<2>(key), std::get<0>(key).str(), file.trouble)});
  }
  return code;
}

}  // namespace ydl::cli
