#pragma once

#include "core/result.hpp"

#include <filesystem>
#include <stop_token>

namespace ydl::agent {

// Copies a file or folder with its modes; `to` must not exist. Links are copied as links. Pipes and sockets are left
// out. Errors: io; cancelled if `stop` was requested.
[[nodiscard]] core::Result<void> copy_tree(const std::filesystem::path& from, const std::filesystem::path& to,
                                           const std::stop_token& stop = {});

// Moves a file or folder to `to` and replaces what is there. Moving to another file system takes as long as a copy.
// Errors: those of copy_tree. Files that were not copied completely are still in `from`.
[[nodiscard]] core::Result<void> move_tree(const std::filesystem::path& from, const std::filesystem::path& to,
                                           const std::stop_token& stop = {});

// What move_tree does between file systems. The copy is first made under another name beside `to`. So the old files
// survive a full disk and, if the file system can exchange two names, also an agent that is killed.
[[nodiscard]] core::Result<void> replace_with_copy(const std::filesystem::path& from, const std::filesystem::path& to,
                                                   const std::stop_token& stop = {});
// Removes incomplete copies that it left in a folder when it was interrupted.
void remove_unfinished_copies(const std::filesystem::path& folder);

}  // namespace ydl::agent
