#pragma once

#include "core/clock.hpp"
#include "core/result.hpp"
#include "core/user.hpp"

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace ydl::backend {

// The hashes of files that were staged before, so that they need not be read again. Each line is "KEY HASH DAY", where
// DAY is the day of the last use since 1970. A file that is missing, damaged or of another format counts as empty.
class HashMemory {
 public:
  // With an empty `path` nothing is stored.
  HashMemory(std::filesystem::path path, core::WallTime now);

  [[nodiscard]] std::optional<std::string> find(const std::string& key);
  void remember(const std::string& key, const std::string& hash);

  // Merges with what other processes have saved meanwhile. If there are too many entries, the oldest ones are removed.
  [[nodiscard]] core::Result<> save() const;

 private:
  struct Entry {
    std::string hash;
    std::int64_t day = 0;
  };
  using Entries = std::map<std::string, Entry, std::less<>>;

  [[nodiscard]] static Entries read(const std::filesystem::path& path);

  std::filesystem::path path_;
  std::int64_t today_;
  Entries entries_;
  bool changed_ = false;
};

// $XDG_CACHE_HOME/ydl or ~/.cache/ydl.
[[nodiscard]] core::Result<std::filesystem::path> cache_directory(const core::Getenv& getenv = core::process_getenv);

[[nodiscard]] bool is_sha256(std::string_view text);

}  // namespace ydl::backend
