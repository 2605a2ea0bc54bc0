#pragma once

#include "core/result.hpp"
#include "hdfs/proto/hdfs.pb.h"
#include "hdfs/types.hpp"

#include <cstddef>
#include <string>
#include <string_view>

// A directory's listing as the NameNode sends it, page by page. The server is not trusted: behind this file every name
// is one component of a path, and a listing goes forward. Pure.
namespace ydl::hdfs {

// The file system's own limits (HdfsConstants.MAX_PATH_DEPTH), and the largest directory that a NameNode has unless its
// dfs.namenode.fs-limits.max-directory-items is changed.
inline constexpr std::size_t kDeepestPath = 1000;
inline constexpr std::size_t kLargestDirectory = 1U << 20U;

// Whether `name` can stand between two slashes: not empty, not "." or "..", without '/' and NUL.
[[nodiscard]] bool is_component(std::string_view name);

[[nodiscard]] FileStatus from_proto(const hadoop::hdfs::HdfsFileStatusProto& proto);

// One page of the listing of `directory`, which begins at `from`. Errors: hrpc::Errc::corrupt (a name that is not one
// component, entries that repeat or go back, more announced and nothing sent), not_a_directory (it is a file).
[[nodiscard]] core::Result<Listing> decode_listing(const hadoop::hdfs::DirectoryListingProto& page,
                                                   std::string_view directory, const ListingCursor& from);

// Refuses a directory that is deeper than any that a NameNode allows: a tree without end. Errors: hrpc::Errc::corrupt.
[[nodiscard]] core::Result<> check_depth(std::string_view directory);

}  // namespace ydl::hdfs
