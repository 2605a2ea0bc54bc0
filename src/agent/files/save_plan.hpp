#pragma once

#include "agent/files/save_manifest.hpp"
#include "core/clock.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

// What a save uploads, and what its manifest says. Pure.
namespace ydl::agent {

// One of the files that count as the task's results, as it is now.
struct SeenFile {
  std::string path;            // among the results: relative, any bytes
  std::filesystem::path real;  // where it is
  std::uint64_t size = 0;
  std::uint32_t mode = 0;
  std::int64_t modified = 0;  // nanoseconds since 1970
  core::WallTime changed{};   // the last change of any kind, a new name too
  bool is_being_written = false;

  bool operator==(const SeenFile&) const = default;
};

inline constexpr core::Millis kUnchangedFor{2'000};  // so long, before a file counts as complete

struct SaveMoment {
  core::WallTime now{};
  core::Millis unchanged_for = kUnchangedFor;
};

struct SavePlan {
  struct Upload {
    SeenFile file;
    SavedFile saved;  // lacks its hash
  };
  std::vector<Upload> uploads;
  SaveManifest next;      // without the uploads
  bool changes = false;   // `next` with the uploads is not what was saved last
  bool complete = false;  // every file is in it as it is now
  // When files that are too new will be old enough; nothing: none is.
  std::optional<core::WallTime> again_at;
};

// A file that is being written or too new keeps the version of `last`, if that has one. What is not there any more is
// left out.
[[nodiscard]] SavePlan plan_save(const std::vector<SeenFile>& seen, const SaveManifest& last, core::AttemptId attempt,
                                 SaveMoment moment);

// What became of an upload: nothing, if the file disappeared meanwhile.
using Uploaded = std::optional<std::string>;  // its hash

// The manifest to be written. A file that changed while it was uploaded, `seen` after that, keeps the version of
// `last`.
[[nodiscard]] SaveManifest finish_plan(SavePlan plan, const std::vector<Uploaded>& uploaded,
                                       const std::vector<SeenFile>& seen, const SaveManifest& last);

}  // namespace ydl::agent
