#include "client/env/uv.hpp"

#include "client/env/run_tool.hpp"
#include "core/files.hpp"
#include "core/strings.hpp"
#include "master/plan.hpp"

#include <algorithm>
#include <unistd.h>

#include <fmt/format.h>

namespace ydl::client {
namespace {

namespace fs = std::filesystem;
using core::Errc;
using core::fail;
using core::Result;

// The folders into which installers put the program of the package uv.
constexpr std::string_view kFindUv = R"(import os, sys, sysconfig
folders = [sysconfig.get_path("scripts"), os.path.join(sys.base_prefix, "bin")]
try:
    import uv
    package = os.path.dirname(os.path.abspath(uv.__file__))
    folders += [os.path.join(os.path.dirname(package), "bin"), os.path.join(package, "..", "..", "..", "..", "bin")]
except ImportError:
    pass
scheme = sysconfig.get_preferred_scheme("user") if hasattr(sysconfig, "get_preferred_scheme") else "posix_user"
folders.append(sysconfig.get_path("scripts", scheme=scheme))
for folder in folders:
    path = os.path.join(folder or "", "uv")
    if os.path.isfile(path) and os.access(path, os.X_OK):
        print(os.path.normpath(path))
        break
)";

// Unpacks the program of the one wheel in a folder, and prints the wheel's hash. pip has checked that hash.
constexpr std::string_view kTakeUv = R"(import glob, hashlib, os, sys, zipfile
folder = sys.argv[1]
(wheel,) = glob.glob(os.path.join(folder, "uv-*.whl"))
with zipfile.ZipFile(wheel) as archive:
    (name,) = [name for name in archive.namelist() if name.endswith(".data/scripts/uv")]
    with open(os.path.join(folder, "uv"), "wb") as program:
        program.write(archive.read(name))
os.chmod(os.path.join(folder, "uv"), 0o700)
with open(wheel, "rb") as file:
    print(hashlib.sha256(file.read()).hexdigest())
os.remove(wheel)
)";

fs::path tools_in(const fs::path& cache) {
  return cache / "tools";
}

bool is_program(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

// The newest one that was downloaded.
std::optional<fs::path> find_downloaded(const fs::path& cache) {
  std::optional<fs::path> newest;
  fs::file_time_type time;
  std::error_code error;
  for (fs::directory_iterator entry(tools_in(cache), error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    const auto program = entry->path() / "uv";
    std::error_code unknown;
    if (!entry->path().filename().string().starts_with("uv-") || !is_program(program)) continue;
    const auto written = fs::last_write_time(program, unknown);
    if (unknown || (newest && written <= time)) continue;
    newest = program;
    time = written;
  }
  return newest;
}

bool has_pip(const fs::path& python, const fs::path& log) {
  const auto code = run_tool({python.string(), "-m", "pip", "--version"}, "/", log);
  return code && *code == 0;
}

Result<fs::path> download_uv(const fs::path& python, const fs::path& cache, const fs::path& log) {
  const auto unfinished = tools_in(cache) / fmt::format(".{}", core::random_hex(4));
  if (auto made = core::make_directories(unfinished, 0700); !made) return fail(made.error());
  const auto code = run_tool({python.string(), "-m", "pip", "download", "--quiet", "--disable-pip-version-check",
                              "--no-input", "--no-deps", "--only-binary", ":all:", "--dest", unfinished.string(), "uv"},
                             unfinished, log);
  std::error_code ignored;
  if (!code || *code != 0) {
    fs::remove_all(unfinished, ignored);
    return fail(Errc::unavailable, fmt::format("pip cannot download uv: {}", last_words(log)));
  }
  const auto hash = output_of({python.string(), "-I", "-c", std::string(kTakeUv), unfinished.string()}, log);
  if (!hash) {
    fs::remove_all(unfinished, ignored);
    return fail(hash.error().within("the wheel of uv"));
  }
  const auto folder = tools_in(cache) / ("uv-" + *hash);
  std::error_code error;
  fs::rename(unfinished, folder, error);  // if another process was faster, it has made the same
  fs::remove_all(unfinished, ignored);
  if (is_program(folder / "uv")) return folder / "uv";
  return fail(Errc::io, fmt::format("cannot create {}", folder.string()));
}

core::Error no_tool() {
  return {Errc::not_found,
          "there is no uv on PATH, and no Python with pip that could download it: install it (`pip install uv`)"};
}

}  // namespace

UvSource look_for_uv(const std::optional<fs::path>& python, const fs::path& cache) {
  if (const auto found = master::find_on_path("uv")) return {UvSource::Kind::path, *found};
  const auto log = cache / "uv.log";
  if (python) {
    const auto found = output_of({python->string(), "-I", "-c", std::string(kFindUv)}, log);
    if (found && !found->empty()) return {UvSource::Kind::python, *found};
  }
  if (auto downloaded = find_downloaded(cache)) return {UvSource::Kind::cache, *std::move(downloaded)};
  if (python && has_pip(*python, log)) return {UvSource::Kind::pip, {}};
  return {};
}

std::string describe(const UvSource& source, const std::optional<fs::path>& python) {
  switch (source.kind) {
    case UvSource::Kind::path:
      return fmt::format("{}, on PATH", source.program.string());
    case UvSource::Kind::python:
      return fmt::format("{}, which is installed for {}", source.program.string(), python->string());
    case UvSource::Kind::cache:
      return fmt::format("{}, which an earlier job has downloaded", source.program.string());
    case UvSource::Kind::pip:
      return fmt::format("not installed; a job that builds an environment downloads it with the pip of {}",
                         python->string());
    case UvSource::Kind::none:
      break;
  }
  return "not installed, and there is no Python with pip to download it; jobs that build an environment need it "
         "(`pip install uv`)";
}

Result<EnvTool> provide_env_tool(const std::optional<fs::path>& python, const fs::path& cache, const SayLine& say) {
  const auto source = look_for_uv(python, cache);
  if (!source.program.empty()) return EnvTool{.uv = source.program, .pip_python = {}};
  if (source.kind == UvSource::Kind::none) return fail(no_tool());
  say(fmt::format("downloading uv with the pip of {}", python->string()));
  auto uv = download_uv(*python, cache, cache / "uv.log");
  if (uv) return EnvTool{.uv = *std::move(uv), .pip_python = {}};
  say(fmt::format("note: {}; the environment is built with pip", uv.error().message));
  return EnvTool{.uv = {}, .pip_python = *python};
}

}  // namespace ydl::client
