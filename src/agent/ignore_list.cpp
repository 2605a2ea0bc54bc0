#include "agent/ignore_list.hpp"

#include "core/files.hpp"
#include "core/strings.hpp"

#include <algorithm>
#include <fnmatch.h>

namespace ydl::agent {

IgnoreList::IgnoreList(const std::filesystem::path& directory) : patterns_{".git", ".hg", ".svn", "__pycache__"} {
  const auto text = core::read_file(directory / ".ydlignore", std::size_t{1} << 20U);
  if (!text) return;
  for (auto line : core::split(*text, '\n')) {
    line = core::trim(line);
    while (line.ends_with('/')) line.remove_suffix(1);
    if (!line.empty() && !line.starts_with('#')) patterns_.emplace_back(line);
  }
}

bool IgnoreList::names(const std::filesystem::path& entry) const {
  return std::ranges::any_of(patterns_, [&](const std::string& pattern) {
    return ::fnmatch(pattern.c_str(), entry.filename().c_str(), 0) == 0;
  });
}

}  // namespace ydl::agent
