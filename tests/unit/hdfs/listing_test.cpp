#include "hdfs/listing.hpp"

#include "hrpc/errors.hpp"

#include <gtest/gtest.h>

namespace ydl::hdfs {
namespace {

using hadoop::hdfs::DirectoryListingProto;
using hadoop::hdfs::HdfsFileStatusProto;
using Names = std::vector<std::string>;

DirectoryListingProto page(const Names& names, std::uint32_t remaining = 0,
                           HdfsFileStatusProto::FileType type = HdfsFileStatusProto::IS_FILE) {
  DirectoryListingProto proto;
  for (const auto& name : names) {
    auto& entry = *proto.add_partiallisting();
    entry.set_filetype(type);
    entry.set_path(name);
  }
  proto.set_remainingentries(remaining);
  return proto;
}

// The names in a listing of several pages, or the error.
core::Result<Names> read_pages(const std::vector<DirectoryListingProto>& pages) {
  Names names;
  ListingCursor from;
  for (const auto& proto : pages) {
    auto listing = decode_listing(proto, "/data", from);
    if (!listing) return core::fail(listing.error());
    for (const auto& entry : listing->entries) names.push_back(entry.name);
    if (!listing->next) break;
    from = *listing->next;
  }
  return names;
}

std::string error_of(const std::vector<DirectoryListingProto>& pages) {
  const auto names = read_pages(pages);
  if (names) return "no error";
  return names.error().code == hrpc::Errc::corrupt ? names.error().message : "another error";
}

TEST(Listing, a_name_is_a_single_path_component) {
  for (const std::string_view name : {"a", "...", "a..", ".hidden", "a b", "-rf", "caf\xc3\xa9", "\x1b[31m", "a\\b"}) {
    EXPECT_TRUE(is_component(name)) << name;
  }
  using namespace std::string_view_literals;
  for (const auto name : {""sv, "."sv, ".."sv, "/"sv, "a/b"sv, "../a"sv, "/etc/passwd"sv, "a/"sv, "a\0b"sv, "\0"sv}) {
    EXPECT_FALSE(is_component(name)) << name;
  }
}

TEST(Listing, a_name_that_is_a_path_is_an_error_and_is_shown_escaped) {
  EXPECT_EQ(error_of({page({"a", "../b"})}),
            "the NameNode listed '../b', which is not a valid file name: the whole listing is ignored");
  EXPECT_NE(error_of({page({std::string("x\0\x1b[2J", 6)})}).find("'x\\x00\\x1b[2J'"), std::string::npos);
  EXPECT_NE(error_of({page({"", "a"})}), "no error");
  EXPECT_NE(error_of({page({""}, 0, HdfsFileStatusProto::IS_DIR)}), "no error");
  EXPECT_NE(error_of({page({""}, 1)}), "no error");
}

TEST(Listing, a_file_is_not_a_directory) {
  const auto listing = decode_listing(page({""}), "/data", {});
  ASSERT_FALSE(listing);
  EXPECT_EQ(listing.error().code, hrpc::Errc::not_a_directory);
}

TEST(Listing, the_status_of_a_single_path_has_no_name) {
  HdfsFileStatusProto proto;
  proto.set_path("../../evil");
  EXPECT_EQ(from_proto(proto).name, "");
}

TEST(Listing, pages_in_order_are_read) {
  EXPECT_EQ(read_pages({page({"a", "b"}, 2), page({"ba", "c"})}).value(), (Names{"a", "b", "ba", "c"}));
  EXPECT_EQ(read_pages({page({})}).value(), Names{});
  EXPECT_EQ(read_pages({page({"a"}, 3), page({})}).value(), Names{"a"});  // the others were deleted meanwhile
}

TEST(Listing, names_may_be_sorted_by_signed_or_unsigned_bytes) {
  EXPECT_EQ(read_pages({page({"\xc3\xa9", "a"}, 1), page({"b"})}).value().size(), 3U);
  EXPECT_EQ(read_pages({page({"a", "b"}, 1), page({"\xc3\xa9"})}).value().size(), 3U);
}

TEST(Listing, the_order_must_not_change_within_a_listing) {
  EXPECT_EQ(error_of({page({"a"}, 9), page({"\xc3\xa9"}, 9), page({"a"}, 9)}),
            "the NameNode listed 'a' after '\xc3\xa9', so the listing is not in order and might be endless");
}

TEST(Listing, repeated_or_unsorted_names_are_an_error) {
  EXPECT_NE(error_of({page({"a", "a"})}), "no error");
  EXPECT_NE(error_of({page({"b", "a"})}), "no error");
  EXPECT_NE(error_of({page({"a", "b"}, 5), page({"b"}, 5)}), "no error");
  EXPECT_NE(error_of({page({"m"}, 5), page({"a", "n"}, 5)}), "no error");
}

TEST(Listing, announced_entries_that_are_not_sent_are_an_error) {
  EXPECT_EQ(error_of({page({}, 7)}), "the NameNode announced 7 more entries but sent none");
  EXPECT_EQ(error_of({page({"a"}, 7), page({}, 7)}), "the NameNode announced 7 more entries but sent none");
}

TEST(Listing, an_endless_tree_is_an_error) {
  std::string path;
  for (std::size_t i = 0; i < kDeepestPath; ++i) path += "/a";
  EXPECT_TRUE(check_depth(path));
  EXPECT_FALSE(check_depth(path + "/a"));
}

}  // namespace
}  // namespace ydl::hdfs
