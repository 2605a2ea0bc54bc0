#include "hdfs/listing.hpp"

#include "core/utf8.hpp"
#include "hdfs/namenode.hpp"
#include "hrpc/errors.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace ydl::hdfs {

namespace pb = hadoop::hdfs;

namespace {

core::WallTime wall_time(std::uint64_t millis) {
  // end of the year 2199, which still fits into 64-bit nanoseconds
  constexpr std::uint64_t kLastMillis = 7'258'118'399'999;
  return core::WallTime(core::Millis(static_cast<std::int64_t>(std::min(millis, kLastMillis))));
}

bool less_signed(std::string_view a, std::string_view b) {
  return std::ranges::lexicographical_compare(
      a, b, {}, [](char byte) { return static_cast<signed char>(byte); },
      [](char byte) { return static_cast<signed char>(byte); });
}

bool less_unsigned(std::string_view a, std::string_view b) {
  return std::ranges::lexicographical_compare(
      a, b, {}, [](char byte) { return static_cast<unsigned char>(byte); },
      [](char byte) { return static_cast<unsigned char>(byte); });
}

std::unexpected<core::Error> corrupt(std::string what) {
  return core::fail(hrpc::Errc::corrupt, "the NameNode " + std::move(what));
}

// Moves the cursor past one more name. A name that is not after all earlier names is an error.
core::Result<> move_past(ListingCursor& cursor, std::string_view name) {
  if (!cursor.after.empty()) {
    cursor.signed_order = cursor.signed_order && less_signed(cursor.after, name);
    cursor.unsigned_order = cursor.unsigned_order && less_unsigned(cursor.after, name);
    if (!cursor.signed_order && !cursor.unsigned_order) {
      return corrupt(fmt::format("listed '{}' after '{}', so the listing is not in order and might be endless",
                                 core::escaped(name), core::escaped(cursor.after)));
    }
  }
  cursor.after = name;
  return {};
}

}  // namespace

bool is_component(std::string_view name) {
  constexpr std::string_view kSlashAndNul("/\0", 2);
  return !name.empty() && name != "." && name != ".." && name.find_first_of(kSlashAndNul) == std::string_view::npos;
}

FileStatus from_proto(const pb::HdfsFileStatusProto& proto) {
  FileStatus status{
      .name = {},  // set by decode_listing(); the status of a single path has no name
      .length = proto.length(),
      .permission = proto.permission().perm(),
      .owner = proto.owner(),
      .group = proto.group(),
      .modified = wall_time(proto.modification_time()),
      .accessed = wall_time(proto.access_time()),
      .link_target = proto.symlink(),
      .replication = proto.block_replication(),
      .block_size = proto.blocksize(),
      .file_id = proto.fileid(),
      .children = std::nullopt,
      .erasure_policy = proto.has_ecpolicy() ? policy_name(proto.ecpolicy()) : "",
      .encrypted = proto.has_fileencryptioninfo() || (proto.flags() & pb::HdfsFileStatusProto::HAS_CRYPT) != 0};
  if (proto.filetype() == pb::HdfsFileStatusProto::IS_DIR) status.kind = FileKind::directory;
  if (proto.filetype() == pb::HdfsFileStatusProto::IS_SYMLINK) status.kind = FileKind::link;
  if (status.is_directory() && proto.childrennum() >= 0) status.children = proto.childrennum();
  if (status.erasure_policy.empty() && (proto.flags() & pb::HdfsFileStatusProto::HAS_EC) != 0) {
    status.erasure_policy = "unnamed";
  }
  return status;
}

core::Result<Listing> decode_listing(const pb::DirectoryListingProto& page, std::string_view directory,
                                     const ListingCursor& from) {
  // Listing a file returns the file itself as the only entry, without a name.
  if (page.partiallisting_size() == 1 && page.remainingentries() == 0 && page.partiallisting(0).path().empty() &&
      page.partiallisting(0).filetype() != pb::HdfsFileStatusProto::IS_DIR) {
    return core::fail(hrpc::Errc::not_a_directory,
                      fmt::format("{} is a file, not a directory", core::escaped(directory)));
  }
  Listing listing;
  ListingCursor cursor = from;
  listing.entries.reserve(static_cast<std::size_t>(page.partiallisting_size()));
  for (const auto& entry : page.partiallisting()) {
    if (!is_component(entry.path())) {
      return corrupt(fmt::format("listed '{}', which is not a valid file name: the whole listing is ignored",
                                 core::escaped(entry.path())));
    }
    if (auto moved = move_past(cursor, entry.path()); !moved) return core::fail(moved.error());
    listing.entries.push_back(from_proto(entry));
    listing.entries.back().name = entry.path();
  }
  if (page.remainingentries() == 0) return listing;
  if (listing.entries.empty()) {
    return corrupt(fmt::format("announced {} more entries but sent none", page.remainingentries()));
  }
  listing.next = std::move(cursor);
  return listing;
}

core::Result<> check_depth(std::string_view directory) {
  if (static_cast<std::size_t>(std::ranges::count(directory, '/')) <= kDeepestPath) return {};
  return corrupt(fmt::format("lists directories more than {} levels deep, which HDFS does not allow", kDeepestPath));
}

}  // namespace ydl::hdfs
