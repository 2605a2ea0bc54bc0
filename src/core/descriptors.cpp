#include "core/descriptors.hpp"

#include <fmt/format.h>

namespace ydl::core {
namespace {

std::optional<rlimit>& original() {
  static std::optional<rlimit> limit;
  return limit;
}

}  // namespace

void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= limit.rlim_max) return;
  const auto before = limit;
  limit.rlim_cur = limit.rlim_max;
  if (::setrlimit(RLIMIT_NOFILE, &limit) == 0) original() = before;
}

std::optional<rlimit> original_descriptor_limit() {
  return original();
}

std::uint64_t descriptor_limit() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 0;
}

Result<void> check_descriptors(std::string_view what, std::uint64_t needed, std::uint64_t limit) {
  if (needed <= limit) return {};
  return fail(Errc::no_capacity,
              fmt::format("{} needs about {} open files and connections in one process, but the limit is {}: raise the "
                          "hard limit (`ulimit -Hn {}` as root, nofile in /etc/security/limits.conf, or LimitNOFILE of "
                          "the NodeManager's service; the kernel's own limit is fs.nr_open), or run fewer tasks",
                          what, needed, limit, needed));
}

}  // namespace ydl::core
