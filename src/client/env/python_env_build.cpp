#include "client/env/env_build.hpp"
#include "client/env/run_tool.hpp"
#include "client/env/uv.hpp"
#include "core/files.hpp"
#include "core/strings.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include <fmt/format.h>

namespace ydl::client {
namespace {

namespace fs = std::filesystem;
using core::Errc;
using core::fail;
using core::Result;

constexpr std::size_t kLargestList = 4 << 20U;

// Only the lines that matter: uv also writes its own command line, which differs between calls.
std::string without_comments(std::string_view text) {
  std::string lines;
  for (const auto line : core::split(text, '\n')) {
    if (const auto bare = core::trim(line); !bare.empty() && !bare.starts_with('#')) lines += fmt::format("{}\n", bare);
  }
  return lines;
}

// A build with uv, or with pip if there is no uv. `what` is the name of the environment in error messages, and the tool
// runs in `folder`.
class Builder {
 public:
  Builder(EnvTool tool, fs::path cache, std::string what, fs::path folder)
      : tool_(std::move(tool)), cache_(std::move(cache)), what_(std::move(what)), folder_(std::move(folder)) {}

  // An empty version means any Python. One that uv manages is preferred, because it runs on older hosts than those of
  // distributions; uv downloads it if this machine has no such Python.
  Result<> use_python(const std::string& version, const SayLine& say) {
    if (tool_.uv.empty()) return use_pips_python(version);
    std::vector<std::string> find{tool_.uv.string(), "python", "find"};
    if (!version.empty()) find.push_back(version);
    auto python = output_of(find, log());
    if (!python && !version.empty()) {
      say(fmt::format("downloading Python {} with uv", version));
      if (auto fetched = run({"python", "install", "--quiet", version}, "download the Python"); !fetched)
        return fetched;
      python = output_of(find, log());
    }
    if (!python)
      return fail(
          python.error().within(fmt::format("uv cannot find a Python{}{}", version.empty() ? "" : " ", version)));
    python_ = *std::move(python);
    return {};
  }

  // Resolves every package to a version. The lock file is kept, so that the same requirements give the same environment
  // later.
  Result<fs::path> find_lock(const fs::path& requirements, const SayLine& say) {
    const auto text = core::read_file(requirements, kLargestList);
    if (!text) return fail(text.error());
    auto lock = lock_file(*text);
    if (!lock) return lock;
    std::error_code error;
    if (stands_alone(*text) && fs::exists(*lock, error)) return lock;
    if (tool_.uv.empty()) return requirements;
    say(fmt::format("resolving {} with uv", what_));
    const auto unfinished = lock->string() + "." + core::random_hex(4);
    auto resolved = resolve(requirements, unfinished, {});
    if (resolved) fs::rename(unfinished, *lock, error);
    if (!resolved) return fail(resolved.error());
    if (error) return fail(core::system_error(error.value(), fmt::format("cannot write {}", lock->string())));
    return lock;
  }

  // Writes a lock with a version for each package to `output`, which may contain versions to prefer. With `constraints`
  // no package gets another version than in that lock.
  Result<> resolve(const fs::path& requirements, const fs::path& output, const fs::path& constraints) {
    std::vector<std::string> words{"pip", "compile", "--quiet", "--python", python_, "--output-file", output.string()};
    if (!constraints.empty()) words.insert(words.end(), {"--constraint", constraints.string()});
    words.push_back(requirements.string());
    return run(std::move(words), "resolve the packages");
  }

  Result<fs::path> write_lock(std::string_view text) {
    auto lock = lock_file(text);
    if (!lock) return lock;
    if (auto written = core::write_file_atomically(*lock, text, 0600); !written) return fail(written.error());
    return lock;
  }

  // Builds the environment of a lock file, only once.
  Result<fs::path> make(const fs::path& lock, const SayLine& say) {
    const auto text = core::read_file(lock, kLargestList);
    if (!text) return fail(text.error());
    auto folder = cache_ / "envs" / cache_key({python_, without_comments(*text)});
    std::error_code error;
    if (fs::exists(folder / "bin/python", error)) return folder;
    say(fmt::format("building the Python environment of {} with {}", what_, tool_.uv.empty() ? "pip" : "uv"));
    const auto unfinished = fs::path(folder.string() + "." + core::random_hex(4));
    auto done = tool_.uv.empty() ? install_with_pip(lock, unfinished) : install(lock, unfinished);
    if (done) fs::rename(unfinished, folder, error);  // if another process was faster, it has made the same
    fs::remove_all(unfinished, error);
    if (!done) return fail(done.error());
    return folder;
  }

  // Installs the packages of a lock into a folder for PYTHONPATH, without those that they depend on.
  Result<> install_into(const fs::path& lock, const fs::path& target) {
    return run({"pip", "install", "--quiet", "--python", python_, "--no-deps", "--target", target.string(),
                "--requirement", lock.string()},
               "install the packages");
  }

  // The packages of an environment with their versions, in the format of a lock.
  Result<std::string> freeze(const fs::path& python) {
    auto text = output_of(
        {tool_.uv.string(), "pip", "freeze", "--quiet", "--exclude-editable", "--python", python.string()}, log());
    if (!text) return fail(text.error().within("uv cannot list the packages"));
    return text;
  }

  void set_python(const fs::path& python) { python_ = python.string(); }
  [[nodiscard]] bool has_uv() const { return !tool_.uv.empty(); }
  [[nodiscard]] fs::path log() const { return cache_ / "uv.log"; }

 private:
  [[nodiscard]] Result<fs::path> lock_file(std::string_view requirements) const {
    if (auto made = core::make_directories(cache_ / "locks", 0700); !made) return fail(made.error());
    return cache_ / "locks" / (cache_key({python_, std::string(requirements)}) + ".txt");
  }

  Result<> use_pips_python(const std::string& version) {
    const auto found = output_of(
        {tool_.pip_python.string(), "-I", "-c", "import sys; print('%d.%d.%d' % sys.version_info[:3])"}, log());
    if (!found) return fail(found.error());
    if (!version.empty() && *found != version && !found->starts_with(version + "."))
      return fail(Errc::not_found, fmt::format("{} has version {}, and only uv can provide Python {}: install uv "
                                               "(`pip install uv`)",
                                               tool_.pip_python.string(), *found, version));
    python_ = tool_.pip_python.string();
    return {};
  }

  Result<> run(std::vector<std::string> words, std::string_view what) {
    words.insert(words.begin(), tool_.uv.string());
    return run_program(std::move(words), "uv", what);
  }

  Result<> run_program(std::vector<std::string> words, std::string_view name, std::string_view what) {
    std::error_code error;
    const auto start = fs::file_size(log(), error);
    const auto code = run_tool(std::move(words), folder_, log());
    if (!code) return fail(code.error());
    if (*code == 0) return {};
    return fail(Errc::io, fmt::format("{} cannot {} of {}: {} (its log is {})", name, what, what_,
                                      words_since(log(), error ? 0 : start), log().string()));
  }

  Result<> install(const fs::path& lock, const fs::path& folder) {
    if (auto made = core::make_directories(folder.parent_path(), 0700); !made) return made;
    auto done =
        run({"venv", "--quiet", "--relocatable", "--python", python_, folder.string()}, "create an environment");
    if (!done) return done;
    return run({"pip", "sync", "--quiet", "--python", (folder / "bin/python").string(), lock.string()},
               "install the packages");
  }

  Result<> install_with_pip(const fs::path& lock, const fs::path& folder) {
    if (auto made = core::make_directories(folder.parent_path(), 0700); !made) return made;
    auto done = run_program({python_, "-m", "venv", "--without-pip", folder.string()}, "venv", "create an environment");
    if (!done) return done;
    return run_program({python_, "-m", "pip", "--python", (folder / "bin/python").string(), "install", "--quiet",
                        "--disable-pip-version-check", "--no-input", "--requirement", lock.string()},
                       "pip", "install the packages");
  }

  EnvTool tool_;
  fs::path cache_;
  std::string what_;
  fs::path folder_;
  std::string python_;
};

}  // namespace

bool stands_alone(std::string_view requirements) {
  static constexpr std::array<std::string_view, 8> kOthers{"-r",           "-c",         "-e", "--requirement",
                                                           "--constraint", "--editable", ".",  "/"};
  return std::ranges::none_of(core::split(requirements, '\n'), [](std::string_view line) {
    line = core::trim(line);
    const auto slash = line.find('/');
    const bool is_path =
        slash != std::string_view::npos && line.find("://") == std::string_view::npos && line.find('#') > slash;
    return is_path || line.find("file:") != std::string_view::npos ||
           std::ranges::any_of(kOthers, [&](std::string_view word) { return line.starts_with(word); });
  });
}

Result<BuiltEnv> build_python_env(const EnvRequest& request, const fs::path& cache, const SayLine& say) {
  auto tool = provide_env_tool(request.submitting, cache, say);
  if (!tool) return fail(tool.error().within(fmt::format("{} cannot be built", request.name)));
  Builder builder(*std::move(tool), cache, request.name,
                  request.requirements.empty() ? cache : request.requirements.parent_path());
  if (auto found = builder.use_python(request.python, say); !found) return fail(found.error());
  auto lock =
      request.requirements.empty() ? builder.write_lock(request.lock) : builder.find_lock(request.requirements, say);
  if (!lock) return fail(lock.error());
  auto folder = builder.make(*lock, say);
  if (!folder) return fail(folder.error());
  return BuiltEnv{*std::move(folder), *std::move(lock)};
}

namespace {

// A requirements file of the added packages. Names in it are relative to the directory of submission.
Result<fs::path> write_additions(const Additions& additions, const fs::path& cache) {
  std::string text;
  for (const auto& package : additions.packages) {
    const auto path = additions.directory / package;
    std::error_code error;
    const bool is_path = package.find('/') != std::string::npos && fs::exists(path, error);
    text += (is_path ? path.lexically_normal().string() : package) + "\n";
  }
  if (!additions.requirements.empty()) {
    const auto file = core::read_file(additions.requirements, kLargestList);
    if (!file) return fail(file.error());
    text += stands_alone(*file) ? *file : fmt::format("-r {}\n", additions.requirements.string());
  }
  if (auto made = core::make_directories(cache / "layers", 0700); !made) return fail(made.error());
  auto path = cache / "layers" / (cache_key({text, additions.directory.string()}) + ".in");
  if (auto written = core::write_file_atomically(path, text, 0600); !written) return fail(written.error());
  return path;
}

std::string name_of(std::string_view line) {
  const auto end = line.find_first_of("=<>!~[;@ ");
  std::string name(core::trim(line.substr(0, end)));
  for (auto& c : name) c = c == '_' || c == '.' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name;
}

// The lines of a lock whose packages the base does not have.
std::string without_base(std::string_view lock, std::string_view base) {
  std::set<std::string> known;
  for (const auto line : core::split(base, '\n')) known.insert(name_of(line));
  std::string lines;
  for (const auto line : core::split(without_comments(lock), '\n')) {
    if (!line.empty() && !known.contains(name_of(line))) lines += fmt::format("{}\n", line);
  }
  return lines;
}

bool has_path_file(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    if (entry->path().extension() == ".pth") return true;
  }
  return false;
}

// Only exact versions can be constraints.
std::string constraints_of(std::string_view lock) {
  std::string lines;
  for (const auto line : core::split(without_comments(lock), '\n')) {
    if (line.find("==") != std::string_view::npos && line.find('@') == std::string_view::npos)
      lines += fmt::format("{}\n", line.substr(0, line.find(" --hash")));
  }
  return lines;
}

}  // namespace

Result<AddedLayer> add_packages(const AddRequest& request, const fs::path& cache, const SayLine& say) {
  auto tool = provide_env_tool(request.submitting, cache, say);
  if (!tool) return fail(tool.error().within("packages cannot be added to the environment"));
  const auto& additions = request.additions;
  Builder builder(*std::move(tool), cache, "the added packages",
                  additions.directory.empty() ? cache : additions.directory);
  if (!builder.has_uv())
    return fail(Errc::not_found, "adding packages to an environment requires uv: install it (`pip install uv`)");
  builder.set_python(request.python);
  const auto wanted = write_additions(additions, cache);
  if (!wanted) return fail(wanted.error());
  const auto text = core::read_file(*wanted, kLargestList);
  if (!text) return fail(text.error());
  const auto folder = cache / "layers" / cache_key({request.base_key, *text, request.python.string()});
  const bool is_known = !request.base_key.empty() && stands_alone(*text);
  std::error_code error;
  if (is_known && fs::exists(folder, error))
    return AddedLayer{.folder = folder, .key = folder.filename().string(), .merged_lock = {}};
  const auto merged = fs::path(folder.string() + ".merged.txt");
  if (is_known && fs::exists(merged, error)) return AddedLayer{.folder = {}, .key = {}, .merged_lock = merged};

  auto base = request.base_lock.empty() ? builder.freeze(request.python) : request.base_lock;
  if (!base) return fail(base.error());
  say("resolving the added packages with uv");
  const auto unfinished = fs::path(fmt::format("{}.{}", folder.string(), core::random_hex(4)));
  const auto constraints = fs::path(unfinished.string() + ".base");
  const auto lock = fs::path(unfinished.string() + ".lock");
  const auto clean_up = [&](Result<AddedLayer> outcome) {
    std::error_code ignored;
    for (const auto& path : {unfinished, constraints, lock}) fs::remove_all(path, ignored);
    return outcome;
  };
  if (auto written = core::write_file_atomically(constraints, constraints_of(*base), 0600); !written)
    return fail(written.error());
  const auto resolved = builder.resolve(*wanted, lock, constraints);
  std::string reason;
  if (!resolved) {
    reason = resolved.error().message;
  } else {
    const auto all = core::read_file(lock, kLargestList);
    if (!all) return clean_up(fail(all.error()));
    const auto extra = without_base(*all, *base);
    if (auto written = core::write_file_atomically(lock, extra, 0600); !written) return clean_up(fail(written.error()));
    if (auto made = core::make_directories(unfinished, 0700); !made) return clean_up(fail(made.error()));
    if (!extra.empty()) {
      say("installing the added packages with uv");
      if (auto installed = builder.install_into(lock, unfinished); !installed) return clean_up(fail(installed.error()));
      fs::remove(unfinished / ".lock", error);  // of uv
    }
    if (!has_path_file(unfinished)) {
      if (!is_known) fs::remove_all(folder, error);
      fs::rename(unfinished, folder, error);
      return clean_up(
          AddedLayer{.folder = folder, .key = is_known ? folder.filename().string() : "", .merged_lock = {}});
    }
    reason = "a package has a .pth file, which Python reads only in the environment itself";
  }
  // One new environment with all packages. Versions of the base are preferred.
  say(fmt::format("note: the added packages do not fit into a layer of their own, so one new environment is built: {}",
                  reason));
  std::string all;
  for (const auto line : core::split(*base, '\n')) {
    const auto name = name_of(line);
    if (!name.empty() && !name.starts_with('#') && !name.starts_with('-')) all += name + "\n";
  }
  const auto together = fs::path(unfinished.string() + ".base");
  if (auto written = core::write_file_atomically(together, all + *text, 0600); !written)
    return clean_up(fail(written.error()));
  if (auto written = core::write_file_atomically(lock, *base, 0600); !written) return clean_up(fail(written.error()));
  if (auto again = builder.resolve(together, lock, {}); !again)
    return clean_up(fail(again.error().within("the added packages do not fit to the environment")));
  fs::rename(lock, merged, error);
  return clean_up(AddedLayer{.folder = {}, .key = {}, .merged_lock = merged});
}

}  // namespace ydl::client
