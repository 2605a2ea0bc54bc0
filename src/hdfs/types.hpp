#pragma once

#include "core/clock.hpp"
#include "hdfs/checksum.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// Files and directories in the interface of this module.
namespace ydl::hdfs {

enum class FileKind { file, directory, link };

struct FileStatus {
  std::string name;  // the name of an entry of a listing; empty in the status of a single path
  FileKind kind = FileKind::file;
  std::uint64_t length = 0;
  std::uint32_t permission = 0;  // 0644, 01777
  std::string owner;
  std::string group;
  core::WallTime modified;
  core::WallTime accessed;
  std::string link_target;
  std::uint32_t replication = 0;  // 0: a directory
  std::uint64_t block_size = 0;
  std::uint64_t file_id = 0;
  std::optional<std::int32_t> children;  // number of entries of a directory, if the NameNode sends it
  std::string erasure_policy;            // not empty: the file is erasure-coded, not replicated
  bool encrypted = false;                // the file is in an encryption zone

  [[nodiscard]] bool is_directory() const { return kind == FileKind::directory; }
};

// The position in the listing of a directory. NameNodes sort names by signed bytes (DFSUtil.compareBytes), some routers
// by unsigned bytes. A listing in neither order might never end.
struct ListingCursor {
  std::string after;           // the last name so far
  bool signed_order = true;    // all names so far are in this order
  bool unsigned_order = true;  // all names so far are in this order
};

// One page of a directory. Every name is a single path component and comes after those of earlier pages.
struct Listing {
  std::vector<FileStatus> entries;
  std::optional<ListingCursor> next = std::nullopt;  // the start of the next page; empty after the last page
};

struct ContentSummary {
  std::uint64_t length = 0;
  std::uint64_t files = 0;
  std::uint64_t directories = 0;
  std::uint64_t space = 0;             // including all replicas
  std::optional<std::uint64_t> quota;  // limit of the number of names
  std::optional<std::uint64_t> space_quota;
};

// The cluster's defaults for clients, from the NameNode.
struct ServerDefaults {
  std::uint64_t block_size = 128ULL << 20U;
  std::uint32_t packet_bytes = 65536;
  std::uint32_t replication = 3;
  bool encrypt_transfer = false;
  core::Millis trash_interval{0};  // 0: no trash
  Checksum checksum;
};

enum class Parents { must_exist, create };
enum class Overwrite { no, yes };
enum class Recursive { no, yes };

}  // namespace ydl::hdfs
