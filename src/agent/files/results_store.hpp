#pragma once

#include "agent/files/tree_copy.hpp"
#include "core/ids.hpp"
#include "hdfs/file_system.hpp"
#include "job/types.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

// A task's results in HDFS: one folder, which is complete or does not exist. docs/results.md describes it for users.
//
//   PARENT/worker-0/           the results of the last attempt that had any, with manifest.json
//   PARENT/.worker-0.new-2/    the results of attempt 2 while they are being saved
//   PARENT/.worker-0.old/      the results of an earlier attempt, between two renames
namespace ydl::agent {

// Identifies the results in a folder.
struct ResultsStamp {
  int attempt = 0;  // 0: there are none, or ydl did not write them
  std::string finished;

  bool operator==(const ResultsStamp&) const = default;
};

struct Manifest {
  core::AttemptId attempt;
  job::ExitStatus status;
  core::WallTime finished;
  std::vector<StoredFile> files;
  std::vector<std::string> left_out;  // entries that are not files

  [[nodiscard]] std::string to_json() const;
  [[nodiscard]] static ResultsStamp stamp_in(std::string_view json);
};

// The names of the folders above, for one task.
[[nodiscard]] std::string folder_being_saved(std::string_view folder, int attempt);
[[nodiscard]] std::string folder_set_aside(std::string_view folder);

// Downloads the results of earlier attempts to `local`, unless there are none or `local` already contains them, as
// `here` shows. Returns the identity of the results. Errors: those of download_tree.
[[nodiscard]] net::Async<ResultsStamp> fetch_results(hdfs::FileSystem& fs, std::string folder,
                                                     std::filesystem::path local, ResultsStamp here, Copying& copying);

// Identifies the results in a folder; nothing if there are none. Results that an interrupted attempt has set aside are
// not moved back if they belong to another task, which may just be saving.
enum class SetAside { put_back, leave };
[[nodiscard]] net::Async<std::optional<ResultsStamp>> find_results(hdfs::FileSystem& fs, std::string folder,
                                                                   SetAside aside, Copying& copying);

// Uploads all files in `local` and replaces the earlier results. Nothing is changed if `local` is empty, or if a later
// attempt has saved its results since `fetched`. `manifest` is given without its list of files.
// Errors: those of upload_tree. The earlier results then are still complete, in their folder or set aside for the next
// fetch.
[[nodiscard]] net::Async<> save_results(hdfs::FileSystem& fs, std::string folder, std::filesystem::path local,
                                        Manifest manifest, ResultsStamp fetched, Copying& copying);

}  // namespace ydl::agent
