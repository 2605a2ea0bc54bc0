#include "client/env/python_env.hpp"

#include "backend/packing/file_stamp.hpp"
#include "backend/packing/hash_memory.hpp"
#include "client/env/archives.hpp"
#include "client/env/run_tool.hpp"
#include "core/files.hpp"
#include "core/json.hpp"
#include "core/private_directory.hpp"
#include "core/sha256.hpp"
#include "core/strings.hpp"

#include <cerrno>
#include <sys/stat.h>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace ydl::client {
namespace {

namespace fs = std::filesystem;
using core::Errc;
using core::fail;
using core::Result;

// Asks an interpreter about itself. The path of its standard library is taken from its modules, because distributions
// use different names for that folder.
constexpr std::string_view kAsk = R"(import json, os, sys, sysconfig
library = os.path.dirname(os.path.realpath(os.__file__))
shared = [line.split()[-1] for line in open("/proc/self/maps") if "/libpython3." in line]
print(json.dumps({
    "executable": os.path.realpath(sys.executable),
    "library": library,
    "library_name": sys.platlibdir + "/" + os.path.basename(library),
    "purelib": sysconfig.get_path("purelib"),
    "platlib": sysconfig.get_path("platlib"),
    "shared": shared[0] if shared else "",
}))
)";

// This is done only once, because a new file would have to be hashed again.
Result<> write_launcher(const fs::path& path) {
  if (core::read_file(path) == std::string(backend::kLauncher)) return {};
  return core::write_file_atomically(path, backend::kLauncher, 0755);
}

Result<backend::BasePython> ask_interpreter(const fs::path& python, const fs::path& cache) {
  const auto output = output_of({python.string(), "-I", "-c", std::string(kAsk)}, cache / "python.log");
  if (!output) return fail(output.error());
  const auto answer = core::parse_json_object(*output);
  if (!answer) return fail(answer.error().within(python.string()));
  const auto text = [&](std::string_view key) { return core::json_string_or(*answer, key, ""); };
  backend::BasePython base{
      .executable = text("executable"), .library = text("library"), .library_name = text("library_name")};
  for (const auto* key : {"purelib", "platlib"}) {
    std::error_code error;
    const auto packages = backend::without_links(text(key));
    const bool known = !base.packages.empty() && base.packages.front() == packages;
    if (!known && fs::is_directory(packages, error)) base.packages.push_back(packages);
  }
  if (!text("shared").empty()) {
    base.shared_code = text("shared");
    base.launcher = cache / "python-launcher";
    auto written = write_launcher(base.launcher);
    if (!written) return fail(written.error());
  }
  if (base.executable.empty() || base.library.empty())
    return fail(Errc::corrupt, fmt::format("{} does not report its own path", python.string()));
  return base;
}

}  // namespace

Result<fs::path> user_cache() {
  auto cache = backend::cache_directory();
  if (!cache) return fail(cache.error());
  if (auto made = core::make_private_directory(*cache); !made) return fail(made.error());
  return cache;
}

std::string cache_key(const std::vector<std::string>& parts) {
  constexpr std::size_t kLetters = 32;
  core::Sha256 hash;
  hash.add(core::join(parts, std::string_view("\0", 1)));
  return hash.hex().substr(0, kLetters);
}

Result<backend::PythonEnv> env_in_folder(const fs::path& folder, const fs::path& cache) {
  std::error_code error;
  const auto python = folder / "bin/python";
  if (!fs::exists(python, error)) {
    return fail(Errc::usage, fmt::format("--python-env {}: there is no bin/python in it; name the folder of an "
                                         "environment, a packed one, or a requirements.txt",
                                         folder.string()));
  }
  backend::PythonEnv environment{.folder = folder};
  if (!fs::exists(folder / "pyvenv.cfg", error)) return environment;
  auto base = ask_interpreter(python, cache);
  if (!base) return fail(base.error().within(fmt::format("--python-env {}", folder.string())));
  environment.base = *std::move(base);
  return environment;
}

Result<backend::PythonEnv> find_python_env(const spec::JobSpec& job, const SayLine& say) {
  const auto path = (fs::path(job.directory.value_or("/")) / job.python_env.value_or("")).lexically_normal();
  const auto cache = user_cache();
  if (!cache) return fail(cache.error());
  std::error_code error;
  if (fs::is_directory(path, error)) return env_in_folder(path, *cache);
  if (!fs::exists(path, error)) return fail(Errc::usage, fmt::format("--python-env {} does not exist", path.string()));
  if (path.extension() != ".txt") return backend::PythonEnv{.archive = path};
  const auto built = build_python_env(path, *cache, say);
  if (!built) return fail(built.error());
  return env_in_folder(*built, *cache);
}

Result<std::string> local_interpreter(const backend::PythonEnv& environment) {
  if (environment.archive.empty()) return (environment.folder / "bin/python").string();
  const auto cache = user_cache();
  if (!cache) return fail(cache.error());
  struct stat status{};
  if (::stat(environment.archive.c_str(), &status) != 0)
    return fail(core::system_error(errno, fmt::format("cannot read {}", environment.archive.string())));
  const auto folder = *cache / "unpacked" / cache_key({backend::stamp_of(status).key()});
  std::error_code error;
  if (!fs::exists(folder, error)) {
    const auto unfinished = fs::path(folder.string() + "." + core::random_hex(4));
    auto done = unpack_archive(environment.archive, unfinished, *cache / "python.log");
    if (done) fs::rename(unfinished, folder, error);  // if another process was faster, it has made the same
    fs::remove_all(unfinished, error);
    if (!done) return fail(done.error().within("--python-env"));
  }
  if (fs::exists(folder / "bin/python", error)) return (folder / "bin/python").string();
  return fail(Errc::usage, fmt::format("--python-env {}: there is no bin/python in it; pack the environment's folder "
                                       "from the inside, as conda-pack and venv-pack do",
                                       environment.archive.string()));
}

spec::JobSpec with_programs_first(spec::JobSpec job, const std::string& interpreter, std::string_view path) {
  job.env.try_emplace("PATH", fmt::format("{}:{}", fs::path(interpreter).parent_path().string(), path));
  return job;
}

spec::JobSpec with_interpreter(spec::JobSpec job, std::string interpreter) {
  job.python = std::move(interpreter);
  job.python_env.reset();
  return job;
}

}  // namespace ydl::client
