#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ydl::files {

// What of a directory is no part of a job: the names and shell patterns of its .ydlignore, one per line (a trailing
// slash and lines that start with # mean nothing), and what no program reads: __pycache__ and the folders of git and
// its like.
class IgnoreList {
 public:
  explicit IgnoreList(const std::filesystem::path& directory);

  // Whether it names an entry of the directory.
  [[nodiscard]] bool names(const std::filesystem::path& entry) const;

  // The names that are no part of any job, at any depth: what no program reads.
  [[nodiscard]] static bool never_read(std::string_view name);

 private:
  std::vector<std::string> patterns_;
};

}  // namespace ydl::files
