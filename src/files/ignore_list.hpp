#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ydl::files {

// The entries of a directory that do not belong to a job: those that match the names and shell patterns in its
// .ydlignore, one per line (a trailing slash and lines that start with # are ignored), and those that no program reads,
// such as __pycache__ and .git.
class IgnoreList {
 public:
  explicit IgnoreList(const std::filesystem::path& directory);

  // Whether an entry of the directory is ignored.
  [[nodiscard]] bool names(const std::filesystem::path& entry) const;

  // Whether an entry of this name is ignored in every job and at every depth.
  [[nodiscard]] static bool never_read(std::string_view name);

 private:
  std::vector<std::string> patterns_;
};

}  // namespace ydl::files
