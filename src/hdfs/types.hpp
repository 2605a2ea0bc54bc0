#pragma once

#include "core/clock.hpp"
#include "hdfs/checksum.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// Files and directories as the users of this module see them.
namespace ydl::hdfs {

enum class FileKind { file, directory, link };

struct FileStatus {
  std::string name;  // in a listing: the entry's name; of a path that was asked for: empty
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
  std::optional<std::int32_t> children;  // of a directory, where the NameNode says so
  std::string erasure_policy;            // not empty: striped, not replicated
  bool encrypted = false;                // in an encryption zone

  [[nodiscard]] bool is_directory() const { return kind == FileKind::directory; }
};

// How far the listing of a directory has come. NameNodes sort names by bytes: signed ones (DFSUtil.compareBytes), or
// unsigned ones as some routers do. A listing that follows neither order may repeat itself for ever.
struct ListingCursor {
  std::string after;           // the last name so far
  bool signed_order = true;    // all names so far follow this order
  bool unsigned_order = true;  // and this one
};

// One page of a directory: every name is one component of a path and comes after those of the pages before.
struct Listing {
  std::vector<FileStatus> entries;
  std::optional<ListingCursor> next = std::nullopt;  // where the next page begins; nothing: this was the last one
};

struct ContentSummary {
  std::uint64_t length = 0;
  std::uint64_t files = 0;
  std::uint64_t directories = 0;
  std::uint64_t space = 0;             // with all replicas
  std::optional<std::uint64_t> quota;  // of names
  std::optional<std::uint64_t> space_quota;
};

// What the NameNode wants a client to use where it has no opinion of its own.
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
