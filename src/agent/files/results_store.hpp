#pragma once

#include "agent/files/tree_copy.hpp"
#include "core/ids.hpp"
#include "hdfs/file_system.hpp"
#include "job/types.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

// A task's results on HDFS: one folder, complete or not there. docs/results.md tells users about it.
//
//   PARENT/worker-0/           the results of the last attempt that had any, with manifest.json
//   PARENT/.worker-0.new-2/    those of attempt 2 while they are being saved
//   PARENT/.worker-0.old/      those of an earlier one, for the moment between two renames
namespace ydl::agent {

// Which results a folder holds.
struct ResultsStamp {
  int attempt = 0;  // 0: none, or none of ours
  std::string finished;

  bool operator==(const ResultsStamp&) const = default;
};

struct Manifest {
  core::AttemptId attempt;
  job::ExitStatus status;
  core::WallTime finished;
  std::vector<StoredFile> files;
  std::vector<std::string> left_out;  // what was there and is no file

  [[nodiscard]] std::string to_json() const;
  [[nodiscard]] static ResultsStamp stamp_in(std::string_view json);
};

// The names of a folder's neighbours, as above.
[[nodiscard]] std::string folder_being_saved(std::string_view folder, int attempt);
[[nodiscard]] std::string folder_set_aside(std::string_view folder);

// Fills `local` with what earlier attempts saved; nothing when there is nothing, or when these are the results that
// are in `local` already: `here`. Which results these were comes back. Errors: those of download_tree.
[[nodiscard]] net::Async<ResultsStamp> fetch_results(hdfs::FileSystem& fs, std::string folder,
                                                     std::filesystem::path local, ResultsStamp here, Copying& copying);

// Which results a folder holds; nothing when there are none. Those of another task, which may be saving them now, are
// not put back in place.
enum class SetAside { put_back, leave };
[[nodiscard]] net::Async<std::optional<ResultsStamp>> find_results(hdfs::FileSystem& fs, std::string folder,
                                                                   SetAside aside, Copying& copying);

// Saves all that lies in `local` and puts it in place of what was there. A task that left nothing changes nothing, and
// so does one that was given up and whose successor has saved its results since `fetched`. `manifest` lacks its files.
// Errors: those of upload_tree; what was saved before is
// whole and in its place, or set aside and found by the next fetch.
[[nodiscard]] net::Async<> save_results(hdfs::FileSystem& fs, std::string folder, std::filesystem::path local,
                                        Manifest manifest, ResultsStamp fetched, Copying& copying);

}  // namespace ydl::agent
