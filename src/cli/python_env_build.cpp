#include "cli/python_env.hpp"
#include "cli/run_tool.hpp"
#include "core/files.hpp"
#include "core/sha256.hpp"
#include "core/strings.hpp"
#include "master/plan.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace ydl::cli {
namespace {

namespace fs = std::filesystem;
using core::Errc;
using core::fail;
using core::Result;

constexpr std::size_t kKeyLetters = 32;

std::string key_of(std::string_view first, std::string_view second) {
  core::Sha256 hash;
  hash.add(first);
  hash.add(std::string_view("\0", 1));
  hash.add(second);
  return hash.hex().substr(0, kKeyLetters);
}

// The lines that count: what uv writes about how it was called changes from call to call.
std::string without_comments(std::string_view text) {
  std::string lines;
  for (const auto line : core::split(text, '\n')) {
    if (const auto bare = core::trim(line); !bare.empty() && !bare.starts_with('#')) lines += fmt::format("{}\n", bare);
  }
  return lines;
}

// One build with uv.
class Builder {
 public:
  Builder(std::string uv, fs::path cache, fs::path requirements)
      : uv_(std::move(uv)), cache_(std::move(cache)), requirements_(std::move(requirements)) {}

  Result<fs::path> build(const SayLine& say) {
    auto python = output_of({uv_, "python", "find"}, log());
    if (!python) return fail(python.error().within("uv finds no Python"));
    python_ = *std::move(python);
    const auto lock = find_lock(say);
    if (!lock) return fail(lock.error());
    const auto text = core::read_file(*lock);
    if (!text) return fail(text.error());
    const auto folder = cache_ / "envs" / key_of(python_, without_comments(*text));
    std::error_code error;
    if (fs::exists(folder / "bin/python", error)) return folder;
    say(fmt::format("building the Python environment of {} with uv", requirements_.string()));
    const auto unfinished = fs::path(folder.string() + "." + core::random_hex(4));
    auto done = install(*lock, unfinished);
    if (done) fs::rename(unfinished, folder, error);  // whoever was faster has the same
    fs::remove_all(unfinished, error);
    if (!done) return fail(done.error());
    return folder;
  }

 private:
  [[nodiscard]] fs::path log() const { return cache_ / "uv.log"; }

  Result<> run(std::vector<std::string> words, std::string_view what) {
    words.insert(words.begin(), uv_);
    const auto code = run_tool(std::move(words), requirements_.parent_path(), log());
    if (!code) return fail(code.error());
    if (*code == 0) return {};
    return fail(Errc::io, fmt::format("uv cannot {} of {}: {} (its log is {})", what, requirements_.string(),
                                      last_words(log()), log().string()));
  }

  // Every package with its version. Kept: the same file means the same environment tomorrow.
  Result<fs::path> find_lock(const SayLine& say) {
    const auto text = core::read_file(requirements_, std::size_t{4} << 20U);
    if (!text) return fail(text.error());
    if (auto made = core::make_directories(cache_ / "locks", 0700); !made) return fail(made.error());
    const auto lock = cache_ / "locks" / (key_of(python_, *text) + ".txt");
    std::error_code error;
    if (stands_alone(*text) && fs::exists(lock, error)) return lock;
    say(fmt::format("resolving {} with uv", requirements_.string()));
    const auto unfinished = lock.string() + "." + core::random_hex(4);
    auto resolved =
        run({"pip", "compile", "--quiet", "--python", python_, "--output-file", unfinished, requirements_.string()},
            "resolve the packages");
    if (resolved) fs::rename(unfinished, lock, error);
    if (!resolved) return fail(resolved.error());
    if (error) return fail(core::system_error(error.value(), fmt::format("cannot write {}", lock.string())));
    return lock;
  }

  Result<> install(const fs::path& lock, const fs::path& folder) {
    if (auto made = core::make_directories(folder.parent_path(), 0700); !made) return made;
    auto done = run({"venv", "--quiet", "--relocatable", "--python", python_, folder.string()}, "make an environment");
    if (!done) return done;
    return run({"pip", "sync", "--quiet", "--python", (folder / "bin/python").string(), lock.string()},
               "install the packages");
  }

  std::string uv_;
  fs::path cache_;
  fs::path requirements_;
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
                fmt::format("there is no uv on PATH to build {} with: install it (`pip install uv`), or give "
                            "--python-env the folder of an environment or a packed one",
                            requirements.string()));
  }
  return Builder(*uv, cache, requirements).build(say);
}

}  // namespace ydl::cli
