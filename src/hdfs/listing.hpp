#pragma once

#include "core/result.hpp"
#include "hdfs/proto/hdfs.pb.h"
#include "hdfs/types.hpp"

#include <cstddef>
#include <string>
#include <string_view>

// Decodes the pages of a directory listing. The server is not trusted: these functions guarantee that every name is a
// single path component, and that names are in order so that a listing ends. Pure.
namespace ydl::hdfs {

// HDFS's limit of depth (HdfsConstants.MAX_PATH_DEPTH), and its default limit of entries per directory
// (dfs.namenode.fs-limits.max-directory-items).
inline constexpr std::size_t kDeepestPath = 1000;
inline constexpr std::size_t kLargestDirectory = 1U << 20U;

// Whether `name` is a valid path component: not empty, not "." or "..", without '/' and NUL.
[[nodiscard]] bool is_component(std::string_view name);

[[nodiscard]] FileStatus from_proto(const hadoop::hdfs::HdfsFileStatusProto& proto);

// Decodes a page of the listing of `directory` that starts at `from`. Errors: hrpc::Errc::corrupt (invalid names, names
// out of order, more entries announced but none sent), not_a_directory (it is a file).
[[nodiscard]] core::Result<Listing> decode_listing(const hadoop::hdfs::DirectoryListingProto& page,
                                                   std::string_view directory, const ListingCursor& from);

// Refuses a directory that is deeper than HDFS allows, to end the walk through an endless tree. Errors:
// hrpc::Errc::corrupt.
[[nodiscard]] core::Result<> check_depth(std::string_view directory);

}  // namespace ydl::hdfs
