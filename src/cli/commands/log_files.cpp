#include "cli/commands/log_files.hpp"

#include "cli/commands/common.hpp"
#include "client/log_files.hpp"
#include "core/files.hpp"
#include "core/strings.hpp"

#include <filesystem>
#include <system_error>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

namespace ydl::cli {
namespace {

namespace fs = std::filesystem;

struct Copy {
  fs::path from;
  fs::path to;
};

core::Result<void> copy(const Copy& log) {
  if (auto made = core::make_directories(log.to.parent_path()); !made) return made;
  std::error_code error;
  if (fs::copy_file(log.from, log.to, fs::copy_options::overwrite_existing, error)) return {};
  return core::fail(
      {error, fmt::format("cannot copy {} to {}: {}", log.from.string(), log.to.string(), error.message())});
}

}  // namespace

int copy_logs(const Logs& command, const jobs::JobFolder& folder) {
  const auto logs = client::find_logs(folder, {command.task, command.stream, command.attempt});
  std::vector<Copy> copies;
  std::error_code error;
  for (const auto& log : logs.files) {
    if (!fs::is_regular_file(log.path, error)) continue;
    const auto name = log.path.lexically_relative(folder.logs());
    copies.push_back({log.path, fs::path(command.target) / name});
    if (command.force || !fs::exists(fs::symlink_status(copies.back().to, error))) continue;
    return complain({make_error_code(core::Errc::refused),
                     fmt::format("{} is there already: add --force to replace it, or name another folder with --to",
                                 copies.back().to.string())});
  }
  std::uint64_t bytes = 0;
  for (const auto& log : copies) {
    if (auto copied = copy(log); !copied) return complain(copied.error());
    const auto size = fs::file_size(log.to, error);
    if (!error) bytes += size;
  }
  if (!wants_json(command.common) && command.common.output != ui::Mode::quiet) {
    const auto text = copies.empty() ? std::string("nothing was copied: there are no logs yet\n")
                                     : fmt::format("{}, {} copied to {}\n", core::plural(std::ssize(copies), "log"),
                                                   core::format_bytes(bytes), command.target);
    (void)core::write_all(STDERR_FILENO, text);
  }
  return 0;
}

}  // namespace ydl::cli
