#include "jobs/master_trace.hpp"

#include "core/temporary_names.hpp"

#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <vector>

namespace ydl::jobs {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> unfinished_files(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    if (core::is_temporary_name(entry->path().filename().string())) found.push_back(entry->path());
  }
  return found;
}

}  // namespace

MasterTrace trace_of_master(const JobFolder& folder) {
  const auto owner = core::read_file(folder.lock_file(), kLongestLockOwner);
  if (!owner && owner.error().code == std::errc::no_such_file_or_directory) return MasterTrace::none;
  if (master_lives(folder)) return MasterTrace::lives;
  return owner && !owner->empty() && *owner == lock_owner() ? MasterTrace::gone : MasterTrace::elsewhere;
}

core::UniqueFd handed_lock(const JobFolder& folder, int descriptor) {
  struct stat handed{};
  struct stat wanted{};
  if (::fstat(descriptor, &handed) != 0 || ::stat(folder.lock_file().c_str(), &wanted) != 0) return {};
  if (handed.st_dev != wanted.st_dev || handed.st_ino != wanted.st_ino) return {};
  struct flock lock{};
  lock.l_type = F_WRLCK;  // for the whole file; the call succeeds if this descriptor already holds the lock
  if (::fcntl(descriptor, F_OFD_SETLK, &lock) != 0 || ::fcntl(descriptor, F_SETFD, FD_CLOEXEC) != 0) return {};
  return core::UniqueFd(descriptor);
}

// A master writes files only while it holds the lock. The files are listed before the lock is checked, so if the lock
// is free, the master that wrote them has ended.
void remove_unfinished_files(const JobFolder& folder) {
  const auto files = unfinished_files(folder.root());
  if (files.empty() || trace_of_master(folder) != MasterTrace::gone) return;
  std::error_code ignored;
  for (const auto& file : files) fs::remove(file, ignored);
}

}  // namespace ydl::jobs
