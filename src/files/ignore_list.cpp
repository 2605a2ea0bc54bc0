#include "files/ignore_list.hpp"

#include "core/files.hpp"
#include "core/strings.hpp"

#include <algorithm>
#include <array>
#include <fnmatch.h>

namespace ydl::files {

namespace {

constexpr std::array<std::string_view, 4> kNeverRead{".git", ".hg", ".svn", "__pycache__"};

}  // namespace

IgnoreList::IgnoreList(const std::filesystem::path& directory) {
  const auto text = core::read_file(directory / ".ydlignore", std::size_t{1} << 20U);
  if (!text) return;
  for (auto line : core::split(*text, '\n')) {
    line = core::trim(line);
    while (line.ends_with('/')) line.remove_suffix(1);
    if (!line.empty() && !line.starts_with('#')) patterns_.emplace_back(line);
  }
}

bool IgnoreList::never_read(std::string_view name) {
  return std::ranges::find(kNeverRead, name) != kNeverRead.end();
}

bool IgnoreList::names(const std::filesystem::path& entry) const {
  return never_read(entry.filename().native()) || std::ranges::any_of(patterns_, [&](const std::string& pattern) {
           return ::fnmatch(pattern.c_str(), entry.filename().c_str(), 0) == 0;
         });
}

}  // namespace ydl::files
