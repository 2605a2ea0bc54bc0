#include "client/env/python_env.hpp"
#include "client/env/run_tool.hpp"
#include "core/files.hpp"
#include "core/strings.hpp"
#include "master/plan.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace ydl::client {
namespace {

namespace fs = std::filesystem;
using core::Errc;
using core::fail;
using core::Result;

// Only the lines that matter: uv also writes its own command line, which differs between calls.
std::string without_comments(std::string_view text) {
  std::string lines;
  for (const auto line : core::split(text, '\n')) {
    if (const auto bare = core::trim(line); !bare.empty() && !bare.starts_with('#')) lines += fmt::format("{}\n", bare);
  }
  return lines;
}

// A build with uv. `what` is the name of the environment in error messages, and uv runs in `folder`.
class Builder {
 public:
  Builder(std::string uv, fs::path cache, std::string what, fs::path folder)
      : uv_(std::move(uv)), cache_(std::move(cache)), what_(std::move(what)), folder_(std::move(folder)) {}

  Result<> use_any_python() {
    auto python = output_of({uv_, "python", "find"}, log());
    if (!python) return fail(python.error().within("uv cannot find a Python"));
    python_ = *std::move(python);
    return {};
  }

  Result<> use_python(const std::string& version, const SayLine& say) {
    auto python = output_of({uv_, "python", "find", version}, log());
    if (!python) {
      say(fmt::format("downloading Python {} with uv", version));
      if (auto fetched = run({"python", "install", "--quiet", version}, "download the Python"); !fetched)
        return fetched;
      python = output_of({uv_, "python", "find", version}, log());
    }
    if (!python) return fail(python.error().within(fmt::format("uv cannot find Python {}", version)));
    python_ = *std::move(python);
    return {};
  }

  // Resolves every package to a version. The lock file is kept, so that the same requirements give the same environment
  // later.
  Result<fs::path> find_lock(const fs::path& requirements, const SayLine& say) {
    const auto text = core::read_file(requirements, std::size_t{4} << 20U);
    if (!text) return fail(text.error());
    auto lock = lock_file(*text);
    if (!lock) return lock;
    std::error_code error;
    if (stands_alone(*text) && fs::exists(*lock, error)) return lock;
    say(fmt::format("resolving {} with uv", requirements.string()));
    const auto unfinished = lock->string() + "." + core::random_hex(4);
    auto resolved =
        run({"pip", "compile", "--quiet", "--python", python_, "--output-file", unfinished, requirements.string()},
            "resolve the packages");
    if (resolved) fs::rename(unfinished, *lock, error);
    if (!resolved) return fail(resolved.error());
    if (error) return fail(core::system_error(error.value(), fmt::format("cannot write {}", lock->string())));
    return lock;
  }

  Result<fs::path> write_lock(std::string_view text) {
    auto lock = lock_file(text);
    if (!lock) return lock;
    if (auto written = core::write_file_atomically(*lock, text, 0600); !written) return fail(written.error());
    return lock;
  }

  // Builds the environment of a lock file, only once.
  Result<fs::path> make(const fs::path& lock, const SayLine& say) {
    const auto text = core::read_file(lock);
    if (!text) return fail(text.error());
    auto folder = cache_ / "envs" / cache_key({python_, without_comments(*text)});
    std::error_code error;
    if (fs::exists(folder / "bin/python", error)) return folder;
    say(fmt::format("building the Python environment of {} with uv", what_));
    const auto unfinished = fs::path(folder.string() + "." + core::random_hex(4));
    auto done = install(lock, unfinished);
    if (done) fs::rename(unfinished, folder, error);  // if another process was faster, it has made the same
    fs::remove_all(unfinished, error);
    if (!done) return fail(done.error());
    return folder;
  }

 private:
  [[nodiscard]] fs::path log() const { return cache_ / "uv.log"; }

  [[nodiscard]] Result<fs::path> lock_file(std::string_view requirements) const {
    if (auto made = core::make_directories(cache_ / "locks", 0700); !made) return fail(made.error());
    return cache_ / "locks" / (cache_key({python_, std::string(requirements)}) + ".txt");
  }

  Result<> run(std::vector<std::string> words, std::string_view what) {
    words.insert(words.begin(), uv_);
    const auto code = run_tool(std::move(words), folder_, log());
    if (!code) return fail(code.error());
    if (*code == 0) return {};
    return fail(Errc::io,
                fmt::format("uv cannot {} of {}: {} (its log is {})", what, what_, last_words(log()), log().string()));
  }

  Result<> install(const fs::path& lock, const fs::path& folder) {
    if (auto made = core::make_directories(folder.parent_path(), 0700); !made) return made;
    auto done =
        run({"venv", "--quiet", "--relocatable", "--python", python_, folder.string()}, "create an environment");
    if (!done) return done;
    return run({"pip", "sync", "--quiet", "--python", (folder / "bin/python").string(), lock.string()},
               "install the packages");
  }

  std::string uv_;
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
    return line.find("file:") != std::string_view::npos ||
           std::ranges::any_of(kOthers, [&](std::string_view word) { return line.starts_with(word); });
  });
}

Result<fs::path> build_python_env(const fs::path& requirements, const fs::path& cache, const SayLine& say) {
  const auto uv = master::find_on_path("uv");
  if (!uv) {
    return fail(Errc::not_found,
                fmt::format("there is no uv on PATH to build {}: install it (`pip install uv`), or give "
                            "--python-env the folder of an environment or a packed one",
                            requirements.string()));
  }
  Builder builder(*uv, cache, requirements.string(), requirements.parent_path());
  if (auto found = builder.use_any_python(); !found) return fail(found.error());
  const auto lock = builder.find_lock(requirements, say);
  if (!lock) return lock;
  return builder.make(*lock, say);
}

Result<fs::path> build_locked_env(const LockedEnv& environment, const fs::path& cache, const SayLine& say) {
  const auto uv = master::find_on_path("uv");
  if (!uv) return fail(Errc::not_found, "there is no uv on PATH (`pip install uv`)");
  Builder builder(*uv, cache, environment.name, cache);
  if (auto found = builder.use_python(environment.python, say); !found) return fail(found.error());
  const auto lock = builder.write_lock(environment.lock);
  if (!lock) return lock;
  return builder.make(*lock, say);
}

}  // namespace ydl::client
