#include "client/env/archives.hpp"

#include "client/env/run_tool.hpp"
#include "core/files.hpp"
#include "master/plan.hpp"
#include "net/child_process.hpp"
#include "spec/rules.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <sys/wait.h>

#include <fmt/format.h>

namespace ydl::client {

namespace fs = std::filesystem;
using core::Errc;
using core::fail;
using core::Result;

namespace {

// With the program's whole path. Errors: it is missing.
Result<std::vector<std::string>> installed_command(const fs::path& archive) {
  auto argv = unpack_command(archive.string());
  if (!argv) return argv;
  const auto program = master::find_on_path(argv->front());
  if (!program) {
    return fail(Errc::not_found,
                fmt::format("there is no {} on PATH to unpack {}: install it", argv->front(), archive.string()));
  }
  argv->front() = *program;
  return argv;
}

core::Error cannot_unpack(const fs::path& archive, const fs::path& log) {
  return {Errc::io, fmt::format("{} cannot be unpacked: {}", archive.string(), last_words(log))};
}

// The same as unpack_archive(), and a request to stop ends the program.
net::Async<> unpack(fs::path archive, fs::path folder, fs::path log, std::stop_token stop) {
  auto argv = installed_command(archive);
  if (!argv) co_return fail(argv.error());
  if (auto made = core::make_directories(folder); !made) co_return made;
  net::SpawnOptions options;
  options.executable = argv->front();
  options.argv = *std::move(argv);
  options.log_file = log;
  options.directory = folder;
  auto process = net::ChildProcess::spawn(std::move(options));
  if (!process) co_return fail(process.error());
  const std::stop_callback end(stop, [&] { process->signal(SIGKILL); });
  const int status = co_await process->wait();
  if (stop.stop_requested())
    co_return fail(Errc::cancelled, fmt::format("unpacking {} was interrupted", archive.string()));
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) co_return fail(cannot_unpack(archive, log));
  co_return Result<>{};
}

}  // namespace

Result<void> unpack_archive(const fs::path& archive, const fs::path& folder, const fs::path& log) {
  auto argv = installed_command(archive);
  if (!argv) return fail(argv.error());
  if (auto made = core::make_directories(folder); !made) return made;
  const auto code = run_tool(*std::move(argv), folder, log);
  if (!code) return fail(code.error());
  if (*code == 0) return {};
  return fail(cannot_unpack(archive, log));
}

Result<std::vector<std::string>> unpack_command(const std::string& archive) {
  static constexpr std::array<std::string_view, 8> kTars{".tar",    ".tar.gz", ".tgz",     ".tar.bz2",
                                                         ".tar.xz", ".txz",    ".tar.zst", ".tbz2"};
  const auto ends = [&](std::string_view suffix) { return archive.ends_with(suffix); };
  if (std::ranges::any_of(kTars, ends)) return std::vector<std::string>{"tar", "-xf", archive};
  if (ends(".zip") || ends(".jar")) return std::vector<std::string>{"unzip", "-q", "-o", archive};
  return fail(Errc::usage, fmt::format("--archive {}: the suffix is not that of an archive; ydl unpacks {} and .zip",
                                       archive, fmt::join(kTars, ", ")));
}

net::Async<> unpack_archives(const spec::JobSpec& job, fs::path into, std::stop_token stop) {
  for (const auto& archive : job.archives) {
    const auto source = fs::path(job.directory.value_or("/")) / archive.source;
    std::error_code error;
    if (!fs::is_regular_file(source, error))
      co_return fail(Errc::not_found, fmt::format("--archive {} is not a file", source.string()));
    auto done =
        co_await unpack(source, into / spec::name_in_task(archive), into.parent_path() / "logs/archives.log", stop);
    if (!done) co_return done;
  }
  co_return Result<>{};
}

}  // namespace ydl::client
