#pragma once

#include "agent/files/results_store.hpp"
#include "agent/files/save_manifest.hpp"
#include "agent/files/save_plan.hpp"
#include "agent/files/tree_copy.hpp"
#include "hdfs/file_system.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

// Saves on HDFS: save_manifest.hpp draws their folder. Files are uploaded under new names, then the manifest is
// replaced in one step, then what it does not name any more is deleted: whoever dies in between leaves the last
// complete save as it was.
namespace ydl::agent {

// The last complete save; nothing when there is none. Errors: corrupt or refused when its manifest cannot be used,
// those of FileSystem.
[[nodiscard]] net::Async<std::optional<SaveManifest>> read_save(hdfs::FileSystem& fs, std::string folder);

// Whether an error of read_save says that there is a manifest that cannot be used.
[[nodiscard]] bool is_damaged(const core::Error& error);

// Whether it holds later work than those results.
[[nodiscard]] bool is_newer(const SaveManifest& save, const std::optional<ResultsStamp>& results);

// What of a save is in its folder.
struct StoredSave {
  std::string missing;          // the first file of its manifest that is not there, or is not complete; empty: none
  bool is_interrupted = false;  // a later save was begun and is not complete
};
[[nodiscard]] StoredSave compare_save(const SaveManifest& manifest, const std::vector<hdfs::FileStatus>& entries);
[[nodiscard]] net::Async<StoredSave> check_save(hdfs::FileSystem& fs, std::string folder, SaveManifest manifest);

// Fills `local`. The files get the times that they had, so that the next save knows them. Errors: io, those of
// FileSystem.
[[nodiscard]] net::Async<> fetch_save(hdfs::FileSystem& fs, std::string folder, SaveManifest manifest,
                                      std::filesystem::path local, Copying& copying);

// A file that has disappeared is nothing; other errors: those of upload_tree.
[[nodiscard]] net::Async<std::vector<Uploaded>> upload_save(hdfs::FileSystem& fs, std::string folder,
                                                            std::vector<SavePlan::Upload> uploads, Copying& copying);

enum class Replaced {
  done,
  not_the_last,  // the manifest there is not the one that the new one was made from
  has_successor  // a later attempt has saved
};
[[nodiscard]] net::Async<Replaced> replace_manifest(hdfs::FileSystem& fs, std::string folder, SaveManifest manifest,
                                                    SaveManifest last, Copying& copying);

// Of this attempt and those before it: what the manifest does not name. Uploads that failed, and earlier versions.
[[nodiscard]] net::Async<> remove_unnamed(hdfs::FileSystem& fs, std::string folder, SaveManifest manifest);

// The whole folder, unless a later attempt has saved.
[[nodiscard]] net::Async<> remove_saves(hdfs::FileSystem& fs, std::string folder, int attempt);

}  // namespace ydl::agent
