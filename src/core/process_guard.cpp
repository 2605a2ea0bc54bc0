#include "core/process_guard.hpp"

#include <sys/prctl.h>
#include <sys/stat.h>

namespace ydl::core {
namespace {

constexpr mode_t kOthers = 077;

struct Originals {
  std::optional<mode_t> umask;
  std::optional<rlimit> core;
};

Originals& originals() {
  static Originals found;
  return found;
}

rlimit without_cores(rlimit limit) {
  limit.rlim_cur = 0;  // the hard limit stays, so that tasks can write core files
  return limit;
}

}  // namespace

void guard_memory() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_CORE, &limit) == 0 && limit.rlim_cur != 0) {
    const auto closed = without_cores(limit);
    if (::setrlimit(RLIMIT_CORE, &closed) == 0) originals().core = limit;
  }
  (void)::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

void guard_files() {
  const auto before = ::umask(kOthers);
  if (!originals().umask) originals().umask = before;
}

std::optional<mode_t> original_umask() {
  return originals().umask;
}

std::optional<rlimit> original_core_limit() {
  return originals().core;
}

}  // namespace ydl::core
