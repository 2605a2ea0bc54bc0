#include "cli/archives.hpp"

#include "core/files.hpp"
#include "core/strings.hpp"
#include "master/plan.hpp"
#include "net/child_process.hpp"
#include "spec/rules.hpp"

#include <algorithm>
#include <array>
#include <sys/wait.h>

#include <fmt/format.h>

namespace ydl::cli {
namespace {

namespace fs = std::filesystem;
using core::Errc;
using core::fail;
using core::Result;

// The last line a program wrote, which is what it died of.
std::string last_words(const fs::path& log) {
  const auto text = core::read_file(log);
  const auto lines = core::split(core::trim(text ? std::string_view(*text) : ""), '\n');
  return lines.back().empty() ? "it said nothing" : std::string(lines.back());
}

// Runs it to its end in a folder; what it writes goes to the log.
Result<int> run_in(const fs::path& folder, std::vector<std::string> argv, const fs::path& log) {
  net::SpawnOptions options;
  options.executable = argv.front();
  options.argv = std::move(argv);
  options.log_file = log;
  options.directory = folder;
  const auto process = net::ChildProcess::spawn(std::move(options));
  if (!process) return fail(process.error());
  int status = 0;
  while (::waitpid(process->pid(), &status, 0) < 0) {
    if (errno != EINTR) return fail(core::system_error(errno, "cannot wait for the program that unpacks"));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

Result<void> unpack(const fs::path& archive, const fs::path& folder, const fs::path& log) {
  std::error_code error;
  if (!fs::is_regular_file(archive, error))
    return fail(Errc::not_found, fmt::format("{} is no file: --archive names it", archive.string()));
  auto argv = unpack_command(archive.string());
  if (!argv) return fail(argv.error());
  const auto program = master::find_on_path(argv->front());
  if (!program) {
    return fail(Errc::not_found,
                fmt::format("there is no {} on PATH to unpack {} with: install it", argv->front(), archive.string()));
  }
  argv->front() = *program;
  if (auto made = core::make_directories(folder); !made) return made;
  const auto code = run_in(folder, *std::move(argv), log);
  if (!code) return fail(code.error());
  if (*code == 0) return {};
  return fail(Errc::io, fmt::format("{} cannot be unpacked: {}", archive.string(), last_words(log)));
}

}  // namespace

Result<std::vector<std::string>> unpack_command(const std::string& archive) {
  static constexpr std::array<std::string_view, 8> kTars{".tar",    ".tar.gz", ".tgz",     ".tar.bz2",
                                                         ".tar.xz", ".txz",    ".tar.zst", ".tbz2"};
  const auto ends = [&](std::string_view suffix) { return archive.ends_with(suffix); };
  if (std::ranges::any_of(kTars, ends)) return std::vector<std::string>{"tar", "-xf", archive};
  if (ends(".zip") || ends(".jar")) return std::vector<std::string>{"unzip", "-q", "-o", archive};
  return fail(Errc::usage, fmt::format("--archive {}: its name tells no kind of archive; ydl unpacks {} and .zip",
                                       archive, fmt::join(kTars, ", ")));
}

Result<void> unpack_archives(const spec::JobSpec& job, const fs::path& into) {
  for (const auto& archive : job.archives) {
    const auto source = fs::path(job.directory.value_or("/")) / archive.source;
    const auto folder = into / spec::name_in_task(archive);
    if (auto done = unpack(source, folder, into.parent_path() / "logs/archives.log"); !done) return done;
  }
  return {};
}

}  // namespace ydl::cli
