#include "files/entry_limit.hpp"

#include <fmt/format.h>

namespace ydl::files {

core::Error too_many_entries(const std::filesystem::path& directory) {
  return {core::Errc::usage, fmt::format("{} has more than {} entries: run ydl in the directory of the program, or "
                                         "name the files that it needs with --file and add --no-auto-files",
                                         directory.string(), kMostLinkedEntries)};
}

}  // namespace ydl::files
