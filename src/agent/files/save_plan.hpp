#pragma once

#include "agent/files/save_manifest.hpp"
#include "core/clock.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

// Decides what a save uploads and what its manifest contains. Pure.
namespace ydl::agent {

// A file that counts as one of the task's results, in its current state.
struct SeenFile {
  std::string path;            // relative to the results; may contain any bytes
  std::filesystem::path real;  // its path on this machine
  std::uint64_t size = 0;
  std::uint32_t mode = 0;
  std::int64_t modified = 0;  // nanoseconds since 1970
  core::WallTime changed{};   // the last change of content, name or mode
  bool is_being_written = false;

  bool operator==(const SeenFile&) const = default;
};

inline constexpr core::Millis kUnchangedFor{2'000};  // a file counts as complete if it was not changed for this long

struct SaveMoment {
  core::WallTime now{};
  core::Millis unchanged_for = kUnchangedFor;
};

struct SavePlan {
  struct Upload {
    SeenFile file;
    SavedFile saved;  // without its hash
  };
  std::vector<Upload> uploads;
  SaveManifest next;      // without the uploads
  bool changes = false;   // `next` with the uploads differs from the last save
  bool complete = false;  // it contains every file in its current state
  // When files that are too new now will be old enough; nothing if there are none.
  std::optional<core::WallTime> again_at;
};

// For a file that is being written or is too new, the plan keeps the version in `last`, if there is one. Files that no
// longer exist are left out.
[[nodiscard]] SavePlan plan_save(const std::vector<SeenFile>& seen, const SaveManifest& last, core::AttemptId attempt,
                                 SaveMoment moment);

// The result of an upload; nothing if the file disappeared meanwhile.
using Uploaded = std::optional<std::string>;  // its hash

// The manifest to write. `seen` is the state after the uploads. A file that changed during its upload keeps the version
// in `last`.
[[nodiscard]] SaveManifest finish_plan(SavePlan plan, const std::vector<Uploaded>& uploaded,
                                       const std::vector<SeenFile>& seen, const SaveManifest& last);

}  // namespace ydl::agent
