#pragma once

#include "core/clock.hpp"
#include "core/files.hpp"
#include "core/result.hpp"
#include "core/user.hpp"
#include "protocol/commands.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

// The parts of Python environments that this host has unpacked for this user. All containers of the user share them.
//
//   DISK/usercache/USER/ydl-environments/HASH/      an unpacked archive
//                                        HASH.lock  held while HASH is unpacked, used or removed; "BOOT BYTES"
//                                        .HASH.1a2b unfinished
//
// A container's NodeManager made DISK/usercache/USER, which no other user can enter, and removes it with all that is in
// it if it starts without recovery.
namespace ydl::agent {

struct NodeEnvironmentsOptions {
  std::vector<std::filesystem::path> user_folders;      // DISK/usercache/USER of each disk
  std::filesystem::path own_folder;                     // of the container; used if none of them can be written to
  std::string boot;                                     // differs after each start of the host
  std::uint64_t most_bytes = std::uint64_t{20} << 30U;  // of all unpacked archives on one disk
  core::Millis patience = std::chrono::minutes(30);     // for another container that unpacks the same
};

// The folders of the container's user: those of LOCAL_DIRS in which a NodeManager keeps users' caches.
[[nodiscard]] NodeEnvironmentsOptions node_environments_here(const core::Getenv& getenv,
                                                             const std::filesystem::path& container);

struct UnpackedFolder {
  std::filesystem::path path;
  core::UniqueFd lock;     // while it is held, no other process removes the folder
  bool was_there = false;  // another container has unpacked it
};

// Finds the unpacked folder of an archive, or unpacks it. Of several processes that do this at the same time one
// unpacks, and the others wait for it. A folder that was not completed, or not since the host's last start, is removed
// and unpacked again. Before that, folders that are not in use are removed, the longest unused first, until all of them
// have at most `most_bytes`. Blocks. Errors: corrupt; no_capacity (a disk or a quota is full); io; timeout; cancelled.
[[nodiscard]] core::Result<UnpackedFolder> unpack_on_node(const protocol::PackedFolder& packed,
                                                          const NodeEnvironmentsOptions& options,
                                                          const std::stop_token& stop);

}  // namespace ydl::agent
