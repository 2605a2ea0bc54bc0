#include "client/env/archives.hpp"

#include "client/env/run_tool.hpp"
#include "core/files.hpp"
#include "master/plan.hpp"
#include "spec/rules.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace ydl::client {

namespace fs = std::filesystem;
using core::Errc;
using core::fail;
using core::Result;

Result<void> unpack_archive(const fs::path& archive, const fs::path& folder, const fs::path& log) {
  auto argv = unpack_command(archive.string());
  if (!argv) return fail(argv.error());
  const auto program = master::find_on_path(argv->front());
  if (!program) {
    return fail(Errc::not_found,
                fmt::format("there is no {} on PATH to unpack {} with: install it", argv->front(), archive.string()));
  }
  argv->front() = *program;
  if (auto made = core::make_directories(folder); !made) return made;
  const auto code = run_tool(*std::move(argv), folder, log);
  if (!code) return fail(code.error());
  if (*code == 0) return {};
  return fail(Errc::io, fmt::format("{} cannot be unpacked: {}", archive.string(), last_words(log)));
}

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
    std::error_code error;
    if (!fs::is_regular_file(source, error))
      return fail(Errc::not_found, fmt::format("{} is no file: --archive names it", source.string()));
    if (auto done = unpack_archive(source, folder, into.parent_path() / "logs/archives.log"); !done) return done;
  }
  return {};
}

}  // namespace ydl::client
