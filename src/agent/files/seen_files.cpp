#include "agent/files/seen_files.hpp"

#include "agent/files/workspace.hpp"
#include "agent/process/proc_tree.hpp"
#include "core/files.hpp"
#include "core/strings.hpp"

#include <algorithm>
#include <fcntl.h>
#include <sys/stat.h>

#include <fmt/format.h>

namespace ydl::agent {
namespace {

namespace fs = std::filesystem;

struct Found {
  SeenFile file;
  FileKey key;
};

std::int64_t nanoseconds(const timespec& time) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  return std::int64_t{time.tv_sec} * kSecond + time.tv_nsec;
}

core::WallTime wall_time(const timespec& time) {
  constexpr std::int64_t kMilli = 1'000'000;
  return core::WallTime(core::Millis(nanoseconds(time) / kMilli));
}

// Collects regular files. A link counts as its target, if the target is one of the task's own files.
class Look {
 public:
  Look(const protocol::Prepare& request, const std::stop_token& stop) : stop_(stop) {
    for (const auto& home : {request.results_directory, request.working_directory}) {
      std::error_code error;
      if (auto path = fs::canonical(home, error); !error) homes_.push_back(std::move(path));
    }
  }

  // Adds a file, or all files below a folder. `path` is its path in the results.
  core::Result<void> add(const fs::directory_entry& entry, const std::string& path) {
    if (stop_.stop_requested()) return core::fail(core::Errc::cancelled, "the agent ends");
    std::error_code error;
    if (entry.symlink_status(error).type() != fs::file_type::directory) return add_file(entry, path);
    fs::directory_iterator below(entry.path(), error);
    for (; !error && below != fs::directory_iterator(); below.increment(error)) {
      if (auto added = add(*below, path + "/" + below->path().filename().string()); !added) return added;
    }
    if (!error || error == std::errc::no_such_file_or_directory) return {};  // the task may remove its own files
    return core::fail(
        core::Error{error, fmt::format("cannot read the folder {}: {}", entry.path().string(), error.message())});
  }

  [[nodiscard]] std::vector<Found>& found() { return found_; }

 private:
  [[nodiscard]] bool is_own(const fs::directory_entry& entry) const {
    std::error_code error;
    if (!entry.is_symlink(error)) return true;
    const auto target = fs::canonical(entry.path(), error);
    return !error && std::ranges::any_of(homes_, [&](const fs::path& home) {
      return *target.lexically_relative(home).begin() != "..";
    });
  }

  core::Result<void> add_file(const fs::directory_entry& entry, const std::string& path) {
    struct stat status{};
    if (!is_own(entry) || ::stat(entry.path().c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
    if (found_.size() == kMostSavedFiles) {
      return core::fail(
          core::Errc::refused,
          fmt::format("the task has more than {} files, which are too many to save while it runs", kMostSavedFiles));
    }
    found_.push_back({{.path = path,
                       .real = entry.path(),
                       .size = static_cast<std::uint64_t>(status.st_size),
                       .mode = status.st_mode & 0777U,
                       .modified = nanoseconds(status.st_mtim),
                       .changed = wall_time(status.st_ctim)},
                      {status.st_dev, status.st_ino}});
    return {};
  }

  const std::stop_token& stop_;
  std::vector<fs::path> homes_;
  std::vector<Found> found_;
};

std::vector<fs::path> names_in(const fs::path& directory) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error); !error && entry != fs::directory_iterator();
       entry.increment(error))
    entries.push_back(entry->path());
  return entries;
}

}  // namespace

core::Result<std::vector<SeenFile>> look_at_results(const protocol::Prepare& request, pid_t reaper,
                                                    const std::stop_token& stop) {
  auto made = made_by_task(request);
  if (!made) return core::fail(made.error());
  std::set<fs::path> names;
  Look look(request, stop);
  for (const auto& entry : *made) {
    names.insert(entry.filename());
    if (auto added = look.add(fs::directory_entry(entry), entry.filename().string()); !added)
      return core::fail(added.error());
  }
  for (const auto& entry : names_in(request.results_directory)) {
    if (names.contains(entry.filename())) continue;
    if (auto added = look.add(fs::directory_entry(entry), entry.filename().string()); !added)
      return core::fail(added.error());
  }
  std::set<FileKey> keys;
  for (const auto& found : look.found()) keys.insert(found.key);
  const auto written = files_being_written(keys, reaper);
  std::vector<SeenFile> seen;
  for (auto& [file, key] : look.found()) {
    file.is_being_written = written.contains(key);
    seen.push_back(std::move(file));
  }
  return seen;
}

bool says_writing(std::string_view fdinfo) {
  constexpr std::string_view kFlags = "flags:";
  for (const auto line : core::split(fdinfo, '\n')) {
    if (!line.starts_with(kFlags)) continue;
    const auto digits = core::trim(line.substr(kFlags.size()));
    // The number is octal; the last digit contains the two bits of the access mode.
    const int last = digits.empty() ? 0 : digits.back() - '0';
    return (last & O_ACCMODE) != O_RDONLY;
  }
  return false;
}

std::set<FileKey> files_being_written(const std::set<FileKey>& files, pid_t reaper) {
  std::set<FileKey> written;
  if (files.empty()) return written;
  for (const auto& process : descendants_of(reaper, list_processes())) {
    const auto folder = fs::path(fmt::format("/proc/{}", process.pid));
    for (const auto& descriptor : names_in(folder / "fd")) {
      struct stat status{};
      if (::stat(descriptor.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
      const FileKey key{status.st_dev, status.st_ino};
      if (!files.contains(key) || written.contains(key)) continue;
      const auto info = core::read_file(folder / "fdinfo" / descriptor.filename(), std::size_t{64} << 10U);
      if (info && says_writing(*info)) written.insert(key);
    }
  }
  return written;
}

}  // namespace ydl::agent
