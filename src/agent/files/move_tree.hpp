#pragma once

#include "core/result.hpp"

#include <filesystem>
#include <stop_token>

namespace ydl::agent {

// A copy of a file or folder, with its modes; `to` does not exist. Links are copied as links. Pipes and sockets are
// left out. Errors: io; cancelled once `stop` was requested.
[[nodiscard]] core::Result<void> copy_tree(const std::filesystem::path& from, const std::filesystem::path& to,
                                           const std::stop_token& stop = {});

// Moves a file or folder over whatever `to` is, also to another file system, which takes as long as a copy.
// Errors: those of copy_tree. What was not copied completely is still in `from`.
[[nodiscard]] core::Result<void> move_tree(const std::filesystem::path& from, const std::filesystem::path& to,
                                           const std::stop_token& stop = {});

// What move_tree does between file systems. Until the copy is complete it has another name beside `to`, so that what
// was there survives a full disk and, where the file system can exchange two names, an agent that is killed.
[[nodiscard]] core::Result<void> replace_with_copy(const std::filesystem::path& from, const std::filesystem::path& to,
                                                   const std::stop_token& stop = {});
// What it left in a folder where it did not come to its end.
void remove_unfinished_copies(const std::filesystem::path& folder);

}  // namespace ydl::agent
