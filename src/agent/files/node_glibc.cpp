#include "agent/files/node_glibc.hpp"

#include "core/files.hpp"
#include "core/strings.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace ydl::agent {
namespace {

constexpr std::string_view kPrefix = "GLIBC_";

using Version = std::pair<int, int>;

std::optional<Version> version_of(std::string_view text) {
  const auto dot = text.find('.');
  if (dot == text.npos) return std::nullopt;
  const auto major = core::parse_int<int>(text.substr(0, dot));
  const auto minor = core::parse_int<int>(text.substr(dot + 1));
  if (!major || !minor) return std::nullopt;
  return Version{*major, *minor};
}

std::string newest(const std::vector<protocol::PackedFolder>& packed, std::string protocol::PackedFolder::* member) {
  std::string found;
  for (const auto& folder : packed) {
    const auto version = version_of(folder.*member);
    if (version && (found.empty() || *version_of(found) < *version)) found = folder.*member;
  }
  return found;
}

}  // namespace

std::string newest_glibc(std::string_view bytes) {
  std::optional<Version> newest;
  for (auto at = bytes.find(kPrefix); at != bytes.npos; at = bytes.find(kPrefix, at + 1)) {
    auto text = bytes.substr(at + kPrefix.size(), 8);
    text = text.substr(0, std::min(text.find('\0'), text.size()));
    const auto version = version_of(text);
    if (version && (!newest || *newest < *version)) newest = version;
  }
  return newest ? fmt::format("{}.{}", newest->first, newest->second) : "";
}

std::string node_glibc(const std::filesystem::path& root) {
  constexpr std::size_t kLargest = 32 << 20U;
  static constexpr std::array<std::string_view, 6> kPaths{
      "lib64/libc.so.6",     "lib/x86_64-linux-gnu/libc.so.6",     "lib/libc.so.6",
      "usr/lib64/libc.so.6", "usr/lib/x86_64-linux-gnu/libc.so.6", "usr/lib/libc.so.6"};
  for (const auto path : kPaths) {
    const auto bytes = core::read_file(root / path, kLargest);
    if (!bytes) continue;
    if (auto version = newest_glibc(*bytes); !version.empty()) return version;
  }
  return {};
}

GlibcProblem check_glibc(const std::vector<protocol::PackedFolder>& packed, std::string_view host) {
  const auto found = version_of(host);
  if (!found) return {};
  if (const auto needed = newest(packed, &protocol::PackedFolder::glibc);
      !needed.empty() && *found < *version_of(needed)) {
    return {fmt::format("the Python of the job's environment needs glibc {}, and this host has {}: submit from a "
                        "machine with an older Linux, or use a standalone Python (`uv python install`), which needs "
                        "2.17",
                        needed, host),
            {}};
  }
  if (const auto needed = newest(packed, &protocol::PackedFolder::packages_glibc);
      !needed.empty() && *found < *version_of(needed)) {
    return {{},
            fmt::format("a package of the job's environment needs glibc {}, and this host has {}: the package may not "
                        "be usable here",
                        needed, host)};
  }
  return {};
}

}  // namespace ydl::agent
