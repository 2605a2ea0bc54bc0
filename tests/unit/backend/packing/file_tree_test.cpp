#include "backend/packing/file_tree.hpp"

#include "backend/packing/byte_source.hpp"
#include "core/files.hpp"
#include "support/temp_dir.hpp"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <sys/stat.h>

namespace ydl::backend {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

class Tree : public testing::Test {
 protected:
  Tree() { fs::create_directory(root); }

  void write(const fs::path& name, std::string_view text) {
    fs::create_directories((root / name).parent_path());
    ASSERT_TRUE(core::write_file_atomically(root / name, text));
  }

  core::Result<FileTree> read(std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) {
    TreeReader reader([this](const fs::path& path) { return lies_in(path, without_links(root)); }, most);
    if (auto added = reader.add(root, ""); !added) return core::fail(added.error());
    return std::move(reader).take();
  }
  std::vector<std::string> names() {
    std::vector<std::string> names;
    for (const auto& entry : read().value().entries) names.push_back(entry.tar.name);
    return names;
  }
  TarEntry entry(std::string_view name) {
    for (const auto& entry : read().value().entries) {
      if (entry.tar.name == name) return entry.tar;
    }
    return {};
  }
  static core::Result<std::string> bytes(ByteSource& source) {
    std::string all;
    for (;;) {
      const auto piece = source.next();
      if (!piece) return core::fail(piece.error());
      if (piece->empty()) return all;
      all += *piece;
    }
  }

  test::TempDir dir;
  fs::path root = dir.path() / "job";
};

TEST_F(Tree, members_come_in_the_order_of_their_names) {
  write("b/2", "");
  write("a", "");
  write("b/1", "");
  EXPECT_THAT(names(), ElementsAre("a", "b", "b/1", "b/2"));
}

TEST_F(Tree, empty_folders_and_modes_are_kept) {
  write("run.sh", "#!");
  ::chmod((root / "run.sh").c_str(), 0750);
  fs::create_directory(root / "empty");
  EXPECT_EQ(entry("run.sh").mode, 0750U);
  EXPECT_EQ(entry("empty").kind, TarEntry::Kind::directory);
}

TEST_F(Tree, what_no_program_reads_stays_at_home_at_any_depth) {
  write("pkg/__pycache__/m.pyc", "x");
  write("pkg/m.py", "x");
  write("sub/.git/config", "x");
  EXPECT_THAT(names(), ElementsAre("pkg", "pkg/m.py", "sub"));
}

TEST_F(Tree, a_link_to_another_member_is_packed_as_it_is) {
  write("data/1.bin", "one");
  fs::create_symlink("data/1.bin", root / "latest");
  fs::create_symlink("../data", root / "data/self");
  EXPECT_EQ(entry("latest"), (TarEntry{"latest", TarEntry::Kind::link, 0777, 0, "data/1.bin"}));
  EXPECT_EQ(entry("data/self").link_target, "../data");
}

TEST_F(Tree, a_link_out_of_the_tree_is_packed_as_what_it_leads_to) {
  fs::create_directories(dir.path() / "elsewhere/sub");
  ASSERT_TRUE(core::write_file_atomically(dir.path() / "elsewhere/sub/x", "12345"));
  fs::create_symlink(dir.path() / "elsewhere", root / "far");
  fs::create_symlink("../elsewhere/sub/x", root / "near");
  EXPECT_THAT(names(), ElementsAre("far", "far/sub", "far/sub/x", "near"));
  EXPECT_EQ(entry("near").kind, TarEntry::Kind::file);
  EXPECT_EQ(entry("near").size, 5U);
}

TEST_F(Tree, a_link_by_a_full_path_would_lead_nowhere_on_another_host) {
  write("x", "12");
  fs::create_symlink(root / "x", root / "full");
  fs::create_symlink("../job/x", root / "around");
  EXPECT_EQ(entry("full").kind, TarEntry::Kind::file);
  EXPECT_EQ(entry("around").kind, TarEntry::Kind::file);
}

TEST_F(Tree, links_that_lead_nowhere_or_round_in_circles_stay_links) {
  fs::create_symlink("nothing", root / "dangling");
  fs::create_symlink(dir.path(), root / "up");  // leads back to this tree: packed once, then a link
  EXPECT_EQ(entry("dangling").kind, TarEntry::Kind::link);
  EXPECT_EQ(entry("up/job/up").kind, TarEntry::Kind::link);
}

TEST_F(Tree, pipes_and_sockets_are_left_out) {
  ::mkfifo((root / "pipe").c_str(), 0600);
  EXPECT_THAT(names(), ElementsAre());
}

TEST_F(Tree, reading_stops_at_the_limit) {
  write("a", "12345");
  EXPECT_TRUE(read(5));
  EXPECT_EQ(read(4).error().code, core::Errc::no_capacity);
}

TEST_F(Tree, the_archive_has_the_size_that_was_foretold) {
  write("a", "12345");
  write("b/" + std::string(120, 'l'), std::string(1024, 'x'));
  fs::create_symlink("a", root / "l");
  const auto tree = read().value();
  EXPECT_EQ(bytes(*tar_source(tree)).value().size(), tree.tar_size());
}

TEST_F(Tree, an_empty_tree_is_an_empty_archive) {
  EXPECT_EQ(bytes(*tar_source(read().value())).value(), std::string(kTarEnd, '\0'));
}

TEST_F(Tree, equal_trees_make_equal_archives_wherever_they_lie) {
  write("a/b", "content");
  const auto first = bytes(*tar_source(read().value())).value();
  fs::rename(root, dir.path() / "other");
  root = dir.path() / "other";
  fs::last_write_time(root / "a/b", fs::file_time_type::clock::now() - std::chrono::hours(5));
  EXPECT_EQ(bytes(*tar_source(read().value())).value(), first);
}

TEST_F(Tree, the_key_changes_with_any_file) {
  write("a", "content");
  const auto before = read().value().key();
  EXPECT_EQ(read().value().key(), before);
  write("a", "other");
  EXPECT_NE(read().value().key(), before);
}

TEST_F(Tree, a_file_that_grows_shrinks_or_goes_between_planning_and_reading_is_named) {
  write("a", "content");
  write("b", "content");
  const auto tree = read().value();
  write("b", "longer content");
  const auto grown = bytes(*tar_source(tree));
  ASSERT_FALSE(grown);
  EXPECT_THAT(grown.error().message,
              testing::HasSubstr((root / "b").string() + " changed while it was being uploaded"));
  fs::remove(root / "a");
  EXPECT_THAT(bytes(*tar_source(tree)).error().message, testing::HasSubstr("cannot read " + (root / "a").string()));
}

TEST_F(Tree, a_file_is_hashed_by_its_content) {
  write("a", "abc");
  const auto tree = read().value();
  const auto hash = hash_of(*file_source(root / "a", tree.entries[0].stamp));
  EXPECT_EQ(hash, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace ydl::backend
