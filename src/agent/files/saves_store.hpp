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

// Saves in HDFS; save_manifest.hpp describes their folder. Files are uploaded under new names, then the manifest is
// replaced in one step, and then files that it no longer names are deleted. So an agent that dies in between leaves a
// complete save.
namespace ydl::agent {

// The last complete save; nothing if there is none. Errors: corrupt or refused, if its manifest cannot be used; those
// of FileSystem.
[[nodiscard]] net::Async<std::optional<SaveManifest>> read_save(hdfs::FileSystem& fs, std::string folder);

// Whether an error of read_save means that there is a manifest, but that it cannot be used.
[[nodiscard]] bool is_damaged(const core::Error& error);

// Whether the save is newer than these results.
[[nodiscard]] bool is_newer(const SaveManifest& save, const std::optional<ResultsStamp>& results);

// Which files of a save exist.
struct StoredSave {
  std::string missing;          // the first file of its manifest that is missing or incomplete; empty if there is none
  bool is_interrupted = false;  // a later save was started and is not complete
};
[[nodiscard]] StoredSave compare_save(const SaveManifest& manifest, const std::vector<hdfs::FileStatus>& entries);
[[nodiscard]] net::Async<StoredSave> check_save(hdfs::FileSystem& fs, std::string folder, SaveManifest manifest);

// Downloads a save to `local`. The files get their original times, so that the next save recognises them. Errors: io,
// those of FileSystem.
[[nodiscard]] net::Async<> fetch_save(hdfs::FileSystem& fs, std::string folder, SaveManifest manifest,
                                      std::filesystem::path local, Copying& copying);

// The result of a file that has disappeared is nothing. Errors: those of upload_tree.
[[nodiscard]] net::Async<std::vector<Uploaded>> upload_save(hdfs::FileSystem& fs, std::string folder,
                                                            std::vector<SavePlan::Upload> uploads, Copying& copying);

enum class Replaced {
  done,
  not_the_last,  // the current manifest is not the one from which the new one was made
  has_successor  // a later attempt has saved
};
[[nodiscard]] net::Async<Replaced> replace_manifest(hdfs::FileSystem& fs, std::string folder, SaveManifest manifest,
                                                    SaveManifest last, Copying& copying);

// Removes files of this and earlier attempts that the manifest does not name: failed uploads and earlier versions.
[[nodiscard]] net::Async<> remove_unnamed(hdfs::FileSystem& fs, std::string folder, SaveManifest manifest);

// Removes the whole folder, unless a later attempt has saved.
[[nodiscard]] net::Async<> remove_saves(hdfs::FileSystem& fs, std::string folder, int attempt);

}  // namespace ydl::agent
