#include "agent/files/node_environments.hpp"

#include "core/log.hpp"
#include "core/strings.hpp"
#include "files/unpack_tar.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <optional>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>

namespace ydl::agent {
namespace {

namespace fs = std::filesystem;
using core::Errc;
using core::fail;
using core::Result;

constexpr std::string_view kFolder = "ydl-environments";
constexpr std::string_view kLockSuffix = ".lock";
constexpr core::Millis kPause{100};
constexpr std::uint64_t kBytesPerMember = 4096;  // a file takes at least one block of the disk

bool is_hash(std::string_view text) {
  constexpr std::size_t kDigits = 64;
  return text.size() == kDigits &&
         std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

// Whether only this user and the superuser can change what is in the folder.
bool is_own_folder(const fs::path& path) {
  struct stat status{};
  return ::lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == ::geteuid() &&
         (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

bool make_own_folder(const fs::path& path) {
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return false;
  return is_own_folder(path) && ::access(path.c_str(), R_OK | W_OK | X_OK) == 0;
}

// The lock file of one archive in one folder.
class Lock {
 public:
  enum class Mode { shared, exclusive };

  // Nothing if another process holds the lock. Errors: io; refused, if the file is another user's.
  static Result<std::optional<Lock>> take(const fs::path& path, Mode mode) {
    core::UniqueFd file(::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file) return fail(core::system_error(errno, fmt::format("cannot open {}", path.string())));
    if (::flock(file.get(), (mode == Mode::shared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0) {
      if (errno == EWOULDBLOCK || errno == EINTR) return std::optional<Lock>();
      return fail(core::system_error(errno, fmt::format("cannot lock {}", path.string())));
    }
    struct stat opened{};
    struct stat named{};
    if (::fstat(file.get(), &opened) != 0 || !S_ISREG(opened.st_mode) || opened.st_uid != ::geteuid())
      return fail(Errc::refused, fmt::format("{} is not a file of this user", path.string()));
    // Another process may have removed it between the two calls.
    if (::lstat(path.c_str(), &named) != 0 || named.st_ino != opened.st_ino || named.st_dev != opened.st_dev)
      return std::optional<Lock>();
    return std::optional(Lock(std::move(file)));
  }

  // "BOOT BYTES" of a complete folder; empty texts for any other content.
  struct Content {
    std::string boot;
    std::uint64_t bytes = 0;
  };
  [[nodiscard]] Content read() const {
    std::string text(256, '\0');
    const auto size = ::pread(file_.get(), text.data(), text.size(), 0);
    text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    const auto words = core::split(core::trim(text), ' ');
    if (words.size() != 2) return {};
    return {std::string(words[0]), core::parse_int<std::uint64_t>(words[1]).value_or(0)};
  }
  [[nodiscard]] Result<void> write(const Content& content) const {
    const auto text = fmt::format("{} {}\n", content.boot, content.bytes);
    if (::ftruncate(file_.get(), 0) != 0 ||
        ::pwrite(file_.get(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
      return fail(core::system_error(errno, "cannot write the lock file of an environment"));
    return {};
  }
  void clear() const { (void)::ftruncate(file_.get(), 0); }
  // Its time of modification is the time of the last use.
  void note_use() const { (void)::futimens(file_.get(), nullptr); }
  [[nodiscard]] bool share() const { return ::flock(file_.get(), LOCK_SH | LOCK_NB) == 0; }
  [[nodiscard]] core::UniqueFd take_file() && { return std::move(file_); }

 private:
  explicit Lock(core::UniqueFd file) : file_(std::move(file)) {}
  core::UniqueFd file_;
};

// The unpacked archives on one disk.
class Disk {
 public:
  Disk(fs::path root, const NodeEnvironmentsOptions& options, const protocol::PackedFolder& packed)
      : root_(std::move(root)), options_(&options), packed_(&packed) {}

  [[nodiscard]] fs::path folder() const { return root_ / packed_->hash; }

  // The folder, if it is complete.
  [[nodiscard]] std::optional<UnpackedFolder> find() const {
    std::error_code unknown;
    if (!fs::exists(lock_file(packed_->hash), unknown)) return std::nullopt;
    auto lock = Lock::take(lock_file(packed_->hash), Lock::Mode::shared);
    if (!lock || !*lock || !is_complete(**lock)) return std::nullopt;
    (*lock)->note_use();
    return UnpackedFolder{folder(), std::move(**lock).take_file(), true};
  }

  Result<UnpackedFolder> find_or_unpack(const std::stop_token& stop) {
    const auto deadline = std::chrono::steady_clock::now() + options_->patience;
    for (;;) {
      if (auto found = find()) return *std::move(found);
      auto lock = Lock::take(lock_file(packed_->hash), Lock::Mode::exclusive);
      if (!lock) return fail(lock.error());
      if (*lock) {
        if (!is_complete(**lock)) {
          if (auto done = unpack(**lock, stop); !done) return fail(done.error());
        }
        if ((*lock)->share() && is_complete(**lock))
          return UnpackedFolder{folder(), std::move(**lock).take_file(), false};
        continue;
      }
      if (stop.stop_requested()) return fail(Errc::cancelled, "waiting for a Python environment was interrupted");
      if (std::chrono::steady_clock::now() > deadline)
        return fail(Errc::timeout, fmt::format("another container has been unpacking {} for {}", folder().string(),
                                               core::format_duration(options_->patience)));
      std::this_thread::sleep_for(kPause);
    }
  }

 private:
  [[nodiscard]] fs::path lock_file(const std::string& hash) const { return root_ / (hash + std::string(kLockSuffix)); }

  [[nodiscard]] bool is_complete(const Lock& lock) const {
    return !options_->boot.empty() && lock.read().boot == options_->boot && is_own_folder(folder());
  }

  // The caller holds the lock.
  Result<void> unpack(const Lock& lock, const std::stop_token& stop) {
    lock.clear();
    remove(folder());
    clean_up();
    if (auto fits = check_space(); !fits) return fits;
    const auto unfinished = root_ / fmt::format(".{}.{}", packed_->hash, core::random_hex(4));
    if (::mkdir(unfinished.c_str(), 0700) != 0)
      return fail(core::system_error(errno, fmt::format("cannot create {}", unfinished.string())));
    auto done = files::unpack_tar_zst(packed_->archive, unfinished, {packed_->bytes, packed_->files, stop});
    if (done && ::chmod(unfinished.c_str(), 0755) != 0)
      done = fail(core::system_error(errno, fmt::format("cannot change {}", unfinished.string())));
    if (done && ::rename(unfinished.c_str(), folder().c_str()) != 0)
      done = fail(core::system_error(errno, fmt::format("cannot create {}", folder().string())));
    if (done) done = lock.write({options_->boot, packed_->bytes + packed_->files * kBytesPerMember});
    if (!done) remove(unfinished);
    return done;
  }

  [[nodiscard]] Result<void> check_space() const {
    const auto needed = packed_->bytes + packed_->files * kBytesPerMember;
    struct statvfs disk{};
    if (::statvfs(root_.c_str(), &disk) != 0) return {};  // writing shows it
    const auto free = static_cast<std::uint64_t>(disk.f_bavail) * disk.f_frsize;
    if (free >= needed) return {};
    return fail(Errc::no_capacity, fmt::format("the Python environment needs {} in {}, and its disk has {} free",
                                               core::format_bytes(needed), root_.string(), core::format_bytes(free)));
  }

  static void remove(const fs::path& path) {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }

  struct Kept {
    std::string hash;
    std::uint64_t bytes = 0;
    fs::file_time_type used;
  };

  // Removes what killed processes have left, and unused folders beyond the limit.
  void clean_up() {
    std::vector<Kept> kept;
    std::vector<fs::path> unfinished;
    std::error_code error;
    for (fs::directory_iterator entry(root_, error); !error && entry != fs::directory_iterator();
         entry.increment(error)) {
      const auto name = entry->path().filename().string();
      std::error_code unknown;
      if (name.starts_with('.')) unfinished.push_back(entry->path());
      if (!name.ends_with(kLockSuffix)) continue;
      const auto hash = name.substr(0, name.size() - kLockSuffix.size());
      if (is_hash(hash) && hash != packed_->hash) kept.push_back({hash, 0, entry->last_write_time(unknown)});
    }
    for (const auto& path : unfinished) remove_unfinished(path);
    std::uint64_t total = packed_->bytes + packed_->files * kBytesPerMember;
    for (auto& one : kept) {
      const auto text = core::read_file(lock_file(one.hash), 256);
      const auto words = core::split(core::trim(text ? std::string_view(*text) : ""), ' ');
      one.bytes = words.size() == 2 ? core::parse_int<std::uint64_t>(words[1]).value_or(0) : 0;
      total += one.bytes;
    }
    std::ranges::sort(kept, {}, &Kept::used);
    for (const auto& one : kept) {
      if (total <= options_->most_bytes) return;
      if (remove_unused(one.hash)) total -= one.bytes;
    }
  }

  // ".HASH.1a2b": its process holds the lock of HASH as long as it lives.
  void remove_unfinished(const fs::path& path) {
    const auto name = path.filename().string();
    const auto hash = name.substr(1, name.find('.', 1) - 1);
    if (!is_hash(hash)) return;
    if (hash == packed_->hash) return remove(path);  // the caller holds this lock
    const auto lock = Lock::take(lock_file(hash), Lock::Mode::exclusive);
    if (lock && *lock) remove(path);
  }

  bool remove_unused(const std::string& hash) {
    const auto lock = Lock::take(lock_file(hash), Lock::Mode::exclusive);
    if (!lock || !*lock) return false;
    (*lock)->clear();
    remove(root_ / hash);
    std::error_code ignored;
    fs::remove(lock_file(hash), ignored);
    core::log("removed the unpacked environment {}, which was not used for the longest time", hash);
    return true;
  }

  fs::path root_;
  const NodeEnvironmentsOptions* options_;
  const protocol::PackedFolder* packed_;
};

}  // namespace

NodeEnvironmentsOptions node_environments_here(const core::Getenv& getenv, const fs::path& container) {
  NodeEnvironmentsOptions options{.user_folders = {}, .own_folder = container, .boot = {}};
  const auto boot = core::read_file("/proc/sys/kernel/random/boot_id", 256);
  options.boot = boot ? std::string(core::trim(*boot)) : "";
  const auto locals = getenv("LOCAL_DIRS").value_or("");
  for (const auto folder : core::split(locals, ',')) {
    // DISK/usercache/USER/appcache/APPLICATION
    const auto appcache = fs::path(core::trim(folder)).lexically_normal().parent_path();
    const auto user = appcache.parent_path();
    if (appcache.filename() == "appcache" && user.parent_path().filename() == "usercache")
      options.user_folders.push_back(user);
  }
  std::ranges::sort(options.user_folders);
  return options;
}

Result<UnpackedFolder> unpack_on_node(const protocol::PackedFolder& packed, const NodeEnvironmentsOptions& options,
                                      const std::stop_token& stop) {
  if (!is_hash(packed.hash)) return fail(Errc::corrupt, "the name of a packed environment is not a hash");
  std::vector<Disk> disks;
  for (const auto& user : options.user_folders) {
    const auto root = user / kFolder;
    if (is_own_folder(user) && make_own_folder(root)) disks.emplace_back(root, options, packed);
  }
  for (const auto& disk : disks) {
    if (auto found = disk.find()) return *std::move(found);
  }
  // All containers try the disks in the same order, so that they find each other's folders.
  if (!disks.empty()) {
    unsigned number = 0;
    std::from_chars(packed.hash.data(), packed.hash.data() + 4, number, 16);
    std::rotate(disks.begin(), disks.begin() + static_cast<std::ptrdiff_t>(number % disks.size()), disks.end());
  }
  if (const auto own = options.own_folder / kFolder; make_own_folder(own)) disks.emplace_back(own, options, packed);
  Result<UnpackedFolder> unpacked = fail(Errc::io, fmt::format("cannot write to {}", options.own_folder.string()));
  for (auto disk = disks.begin(); disk != disks.end(); ++disk) {
    unpacked = disk->find_or_unpack(stop);
    const bool next_may_do = !unpacked && unpacked.error().code != Errc::corrupt &&
                             unpacked.error().code != Errc::cancelled && std::next(disk) != disks.end();
    if (!next_may_do) return unpacked;
    core::log("{}; trying {}", unpacked.error().message, std::next(disk)->folder().string());
  }
  return unpacked;
}

}  // namespace ydl::agent
