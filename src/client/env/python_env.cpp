#include "client/env/python_env.hpp"

#include "backend/packing/file_stamp.hpp"
#include "backend/packing/hash_memory.hpp"
#include "client/env/archives.hpp"
#include "client/env/default_env.hpp"
#include "client/env/env_build.hpp"
#include "client/env/run_tool.hpp"
#include "client/env/submitting_python.hpp"
#include "core/files.hpp"
#include "core/json.hpp"
#include "core/private_directory.hpp"
#include "core/sha256.hpp"
#include "core/strings.hpp"
#include "core/user.hpp"
#include "framework/framework.hpp"

#include <algorithm>
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
  if (!text("shared").empty()) base.shared_code = text("shared");
  if (base.executable.empty() || base.library.empty())
    return fail(Errc::corrupt, fmt::format("{} does not report its own path", python.string()));
  return base;
}

std::string stamp_text(const fs::path& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 ? backend::stamp_of(status).key() : "none";
}

// Identifies the packages in a folder without reading them. Installers add or replace the files that describe a package
// (NAME.dist-info/RECORD), and entries of the folder itself. Times of folders do not count, because Python writes its
// __pycache__ there.
void add_package_stamps(const fs::path& folder, std::vector<std::string>& parts) {
  std::vector<std::string> entries;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    const auto& path = entry->path();
    const auto name = path.filename().string();
    if (name == "__pycache__") continue;
    std::error_code unknown;
    if (!entry->is_directory(unknown))
      entries.push_back(name + " " + stamp_text(path));
    else if (name.ends_with(".dist-info") || name.ends_with(".egg-info"))
      entries.push_back(
          fmt::format("{} {}", name, stamp_text(path / (name.ends_with("dist-info") ? "RECORD" : "PKG-INFO"))));
    else
      entries.push_back(name);
  }
  std::ranges::sort(entries);
  parts.push_back(folder.string());
  parts.insert(parts.end(), entries.begin(), entries.end());
}

// Changes with everything that determines what is packed, except for edits of files inside of a package.
std::string fingerprint(const fs::path& folder, const backend::BasePython& base) {
  // The number changes with the way in which environments are packed.
  std::vector<std::string> parts{"packed 1",
                                 folder.string(),
                                 stamp_text(folder / "pyvenv.cfg"),
                                 stamp_text(folder / "bin"),
                                 stamp_text(base.executable),
                                 stamp_text(base.library),
                                 core::process_getenv("LD_LIBRARY_PATH").value_or("")};
  for (const auto& packages : base.packages) add_package_stamps(packages, parts);
  return cache_key(parts);
}

// An environment that ydl has built is never changed, so its name tells its content.
std::string key_of_built(const fs::path& folder, const backend::BasePython& base) {
  return cache_key({"packed 1", folder.string(), stamp_text(base.executable), stamp_text(base.library),
                    core::process_getenv("LD_LIBRARY_PATH").value_or("")});
}

Result<backend::PythonEnv> describe_built(const BuiltEnv& built, const std::string& name, const fs::path& cache) {
  auto environment = env_in_folder(built.folder, cache);
  if (!environment) return environment;
  if (environment->base) environment->key = key_of_built(built.folder, *environment->base);
  environment->source = name;
  return environment;
}

// Packages that are installed from a folder of the user are not in the environment, which has only their path.
std::vector<std::string> editable_packages(const backend::BasePython& base) {
  std::vector<std::string> names;
  for (const auto& folder : base.packages) {
    std::error_code error;
    for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
         entry.increment(error)) {
      const auto origin = core::read_file(entry->path() / "direct_url.json", 64 << 10U);
      if (!origin || origin->find("\"editable\"") == std::string::npos) continue;
      const auto name = entry->path().filename().string();
      names.push_back(name.substr(0, name.find('-')));
    }
  }
  return names;
}

// Something that environments are built from or added to.
struct BaseEnv {
  backend::PythonEnv environment;
  std::string lock;  // its packages; empty: not known yet
};

Result<BaseEnv> env_here(const SubmittingPython& here, const spec::JobSpec& job, const fs::path& cache,
                         const SayLine& say) {
  const auto& folder = here.environment;
  const auto settings = core::read_file(folder / "pyvenv.cfg", 64 << 10U);
  if (settings && settings->find("include-system-site-packages = true") != std::string::npos) {
    return fail(Errc::usage, fmt::format("--python-env here: {} uses packages of the system "
                                         "(include-system-site-packages), which are not in it: make an environment "
                                         "without this option, or name a Python of the hosts with --python",
                                         folder.string()));
  }
  auto environment = env_in_folder(folder, cache);
  if (!environment) return fail(environment.error());
  environment->source = folder.string();
  if (job.python_version) {
    return fail(Errc::usage, fmt::format("python_version: the environment {} has a Python already; remove one of "
                                         "python_version and 'python_env: here'",
                                         folder.string()));
  }
  if (environment->base) {
    environment->key = fingerprint(folder, *environment->base);
    const auto editable = editable_packages(*environment->base);
    if (!editable.empty()) {
      say(
          fmt::format("note: {} in {} refers to a folder of this machine (an editable installation) and is not "
                      "uploaded; --file uploads the folder",
                      core::join(editable, ", "), folder.string()));
    }
  }
  return BaseEnv{*std::move(environment), {}};
}

Result<std::string> version_of(const fs::path& python, const fs::path& cache) {
  return output_of({python.string(), "-I", "-c", "import sys; print('%d.%d' % sys.version_info[:2])"},
                   cache / "python.log");
}

// The version of TensorFlow that is installed here, as a requirement.
std::string tensorflow_of(const fs::path& python, const fs::path& cache) {
  constexpr std::string_view kAskVersion = R"(import importlib.metadata as metadata
for name in ("tensorflow", "tensorflow-cpu", "tensorflow-intel"):
    try:
        print("%s==%s" % (name, metadata.version(name)))
        break
    except metadata.PackageNotFoundError:
        pass
)";
  return output_of({python.string(), "-c", std::string(kAskVersion)}, cache / "python.log").value_or("");
}

std::string version_in_lock(std::string_view lock, std::string_view package) {
  for (const auto line : core::split(lock, '\n')) {
    if (line.starts_with(package) && line.substr(package.size()).starts_with("=="))
      return std::string(core::trim(line.substr(package.size() + 2)));
  }
  return {};
}

// The packages of the framework, for an environment that is built for the job.
Result<EnvRequest> request_for(const spec::JobSpec& job, const std::optional<SubmittingPython>& here,
                               const fs::path& cache) {
  EnvRequest request;
  if (here) request.submitting = here->python;
  const auto framework = framework::find(job.framework);
  const auto known = framework ? (*framework)->buildable_environment() : std::nullopt;
  if (known) {
    request.name = known->name;
    request.lock = known->lock;
  } else {
    request.name = "the job";
    request.lock = "# no packages\n";
  }
  request.python = job.python_version.value_or(python_of_lock(request.lock));
  if (request.python.empty() && here) {
    auto version = version_of(here->python, cache);
    if (!version) return fail(version.error());
    request.python = *std::move(version);
  }
  const auto installed = here && job.framework == "tensorflow" ? tensorflow_of(here->python, cache) : "";
  if (!installed.empty() &&
      installed.substr(installed.find("==") + 2) != version_in_lock(request.lock, "tensorflow-cpu")) {
    const auto folder = cache / "locks";
    if (auto made = core::make_directories(folder, 0700); !made) return fail(made.error());
    request.name = installed;
    request.requirements = folder / (cache_key({installed}) + ".in");
    if (auto written = core::write_file_atomically(request.requirements, installed + "\nsetuptools<81\n", 0600);
        !written)
      return fail(written.error());
  }
  return request;
}

Result<BaseEnv> build_base(const EnvRequest& request, const fs::path& cache, const SayLine& say) {
  const auto built = build_python_env(request, cache, say);
  if (!built) return fail(built.error());
  auto environment = describe_built(*built, request.name, cache);
  if (!environment) return fail(environment.error());
  return BaseEnv{*std::move(environment), core::read_file(built->lock, 4 << 20U).value_or("")};
}

Result<BaseEnv> env_at(const fs::path& path, const spec::JobSpec& job, const std::optional<SubmittingPython>& here,
                       const fs::path& cache, const SayLine& say) {
  std::error_code error;
  if (path.extension() == ".txt" && fs::is_regular_file(path, error)) {
    EnvRequest request{.name = path.string(),
                       .python = job.python_version.value_or(""),
                       .requirements = path,
                       .lock = {},
                       .submitting = std::nullopt};
    if (here) request.submitting = here->python;
    return build_base(request, cache, say);
  }
  if (job.python_version)
    return fail(Errc::usage, fmt::format("python_version: {} has a Python already; remove the key", path.string()));
  if (fs::is_directory(path, error)) {
    auto environment = env_in_folder(path, cache);
    if (!environment) return fail(environment.error());
    environment->source = path.string();
    return BaseEnv{*std::move(environment), {}};
  }
  if (!fs::exists(path, error)) return fail(Errc::usage, fmt::format("--python-env {} does not exist", path.string()));
  return BaseEnv{backend::PythonEnv{.archive = path, .source = path.string()}, {}};
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
  backend::PythonEnv environment{.folder = folder, .cache = cache, .source = folder.string()};
  if (!fs::exists(folder / "pyvenv.cfg", error)) return environment;
  auto base = ask_interpreter(python, cache);
  if (!base) return fail(base.error().within(fmt::format("--python-env {}", folder.string())));
  environment.base = *std::move(base);
  return environment;
}

Result<backend::PythonEnv> built_env(const BuiltEnv& built, const std::string& name, const fs::path& cache) {
  return describe_built(built, name, cache);
}

bool has_python_env(const spec::JobSpec& job) {
  return job.python_env || needs_submitting_python(job);
}

std::string name_of_python_env(const spec::JobSpec& job) {
  std::string name = job.python_env.value_or("built for the job");
  if (name == spec::kEnvHere) name = "the one this job is submitted from";
  if (!job.pip_packages.empty()) name += fmt::format(", with {}", core::join(job.pip_packages, ", "));
  if (job.requirements) name += fmt::format(", with those of {}", *job.requirements);
  return name;
}

Result<backend::PythonEnv> find_python_env(const spec::JobSpec& job, const SayLine& say) {
  const auto cache = user_cache();
  if (!cache) return fail(cache.error());
  auto here = find_submitting_python(job);
  if (!here && needs_submitting_python(job)) return fail(here.error());
  if (!here) here = std::nullopt;
  const fs::path directory(job.directory.value_or("/"));
  const bool is_here = job.python_env == spec::kEnvHere && *here && !(*here)->environment.empty();
  Result<BaseEnv> base;
  if (is_here) {
    base = env_here(**here, job, *cache, say);
  } else if (job.python_env && job.python_env != spec::kEnvHere) {
    base = env_at((directory / *job.python_env).lexically_normal(), job, *here, *cache, say);
  } else {
    const auto request = request_for(job, *here, *cache);
    if (!request) return fail(request.error());
    base = build_base(*request, *cache, say);
  }
  if (!base) return fail(base.error());
  if (job.pip_packages.empty() && !job.requirements) return std::move(base->environment);
  auto& environment = base->environment;
  if (!environment.archive.empty()) {
    return fail(Errc::usage, fmt::format("packages cannot be added to {}, because it is packed: name the folder of the "
                                         "environment",
                                         environment.archive.string()));
  }
  AddRequest request{.python = environment.folder / "bin/python",
                     .base_key = environment.key,
                     .base_lock = base->lock,
                     .additions = {job.pip_packages, {}, directory},
                     .submitting = std::nullopt};
  if (job.requirements) request.additions.requirements = (directory / *job.requirements).lexically_normal();
  if (*here) request.submitting = (*here)->python;
  auto added = add_packages(request, *cache, say);
  if (!added) return fail(added.error());
  if (!added->merged_lock.empty()) {
    auto merged = build_base({.name = environment.source + " with the added packages",
                              .python = version_of(request.python, *cache).value_or(""),
                              .requirements = {},
                              .lock = core::read_file(added->merged_lock, 4 << 20U).value_or(""),
                              .submitting = request.submitting},
                             *cache, say);
    if (!merged) return fail(merged.error());
    return std::move(merged->environment);
  }
  std::error_code error;
  if (!fs::is_empty(added->folder, error))
    environment.packages = backend::AddedPackages{added->folder, added->key, core::join(job.pip_packages, ", ")};
  if (environment.packages && job.requirements) {
    auto& source = environment.packages->source;
    source += (source.empty() ? "" : ", ") + *job.requirements;
  }
  return std::move(environment);
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

spec::JobSpec with_packages_first(spec::JobSpec job, const backend::PythonEnv& environment,
                                  std::string_view python_path) {
  if (!environment.packages) return job;
  const auto folder = environment.packages->folder.string();
  const auto own = job.env.find("PYTHONPATH");
  const auto rest = own == job.env.end() ? std::string(python_path) : own->second;
  job.env["PYTHONPATH"] = rest.empty() ? folder : fmt::format("{}:{}", folder, rest);
  return job;
}

spec::JobSpec with_interpreter(spec::JobSpec job, std::string interpreter) {
  job.python = std::move(interpreter);
  job.python_env.reset();
  job.python_version.reset();
  job.pip_packages.clear();
  job.requirements.reset();
  return job;
}

}  // namespace ydl::client
