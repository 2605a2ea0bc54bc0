#pragma once

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "core/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// A save: the files of a running task at one time, in HDFS. docs/checkpoints.md describes it for users.
//
//   PARENT/worker-0/manifest.json      names the files of the last complete save
//   PARENT/worker-0/2-17-model.pt      attempt, a number that grows, the end of the file's name
namespace ydl::agent {

struct SavedFile {
  std::string path;    // relative, escaped as in stored_names.hpp
  std::string stored;  // its name in the folder of saves
  std::uint64_t size = 0;
  std::uint32_t mode = 0;
  std::int64_t modified = 0;  // nanoseconds since 1970; with the size it shows whether a file has changed
  std::string sha256;

  bool operator==(const SavedFile&) const = default;
};

struct SaveManifest {
  core::AttemptId attempt;
  core::WallTime saved{};
  std::int64_t next = 1;  // the number of the next file
  std::vector<SavedFile> files = {};

  bool operator==(const SaveManifest&) const = default;

  [[nodiscard]] std::string to_json() const;
  // Every path leads into the folder that it is restored to, and every stored name is one component.
  // Errors: corrupt; refused (another version of ydl wrote it).
  [[nodiscard]] static core::Result<SaveManifest> from_json(std::string_view text);
};

inline constexpr std::size_t kMostSavedFiles = 100'000;

// The name of a file in the folder of saves.
[[nodiscard]] std::string stored_save_name(int attempt, std::int64_t number, std::string_view path);

// The numbers in such a name; nothing if ydl did not make the name.
struct SaveNumber {
  int attempt = 0;
  std::int64_t number = 0;

  bool operator==(const SaveNumber&) const = default;
};
[[nodiscard]] std::optional<SaveNumber> number_of_save(std::string_view stored);

// The path in the file system of the task; nothing if it would lead out of the folder.
[[nodiscard]] std::optional<std::string> original_path(std::string_view stored_path);

}  // namespace ydl::agent
