#pragma once

#include "backend/packing/file_stamp.hpp"
#include "backend/packing/file_tree.hpp"
#include "core/result.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

// Folders as archives that are compressed with zstd. They are kept in the user's cache, so that a folder that has not
// changed is neither read nor compressed again:
//
//   CACHE/packed/KEY.tar.zst
//                KEY.json      what is known about it; written last
namespace ydl::backend {

struct PackedFacts {
  std::string sha256;  // of the archive
  std::uint64_t size = 0;
  std::uint64_t unpacked = 0;  // bytes of all files in it
  std::uint64_t files = 0;     // its members
  std::string glibc;           // protocol::PackedFolder
  std::string packages_glibc;
};

struct PackedArchive {
  std::filesystem::path path;
  FileStamp stamp;
  PackedFacts facts;
};

// A tree and what its programs need from hosts.
struct TreeToPack {
  FileTree tree;
  std::string glibc;
  std::string packages_glibc;
};

// The archive of an earlier call with the same key, if it is whole.
[[nodiscard]] std::optional<PackedArchive> find_packed(const std::filesystem::path& cache, const std::string& key);

// Compresses a tree with all cores. Removes archives that were not used for 30 days.
// Errors: a file cannot be read or changes meanwhile; the disk of the cache is full; cancelled.
[[nodiscard]] core::Result<PackedArchive> pack(const std::filesystem::path& cache, const std::string& key,
                                               const TreeToPack& content, const std::stop_token& stop);

}  // namespace ydl::backend
