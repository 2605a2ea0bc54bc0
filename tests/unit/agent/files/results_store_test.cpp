#include "agent/files/results_store.hpp"

#include "core/files.hpp"
#include "core/json.hpp"
#include "support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <boost/json.hpp>

namespace ydl::agent {
namespace {

namespace files = std::filesystem;
using ::testing::UnorderedElementsAre;

std::vector<std::string> paths(const LocalTree& tree) {
  std::vector<std::string> found;
  for (const auto& file : tree.files) found.push_back(file.path);
  return found;
}

class ResultsTree : public testing::Test {
 protected:
  void write(const std::string& path, std::string_view text) const {
    files::create_directories((root / path).parent_path());
    ASSERT_TRUE(core::write_file_atomically(root / path, text));
  }

  test::TempDir dir;
  files::path root = dir.path() / "results";
};

TEST_F(ResultsTree, holds_files_and_directories_by_their_paths) {
  write("model", "weights");
  write("run/deep/empty", "");
  files::create_directories(root / "nothing");
  const auto tree = list_tree(root);
  ASSERT_TRUE(tree) << tree.error().message;
  EXPECT_THAT(paths(*tree), UnorderedElementsAre("model", "run/deep/empty"));
  EXPECT_THAT(tree->directories, UnorderedElementsAre("run", "run/deep", "nothing"));
  EXPECT_FALSE(tree->empty());
}

TEST_F(ResultsTree, a_link_to_a_file_of_its_own_is_that_file_and_others_are_left_out) {
  write("checkpoint-5", "five");
  files::create_symlink("checkpoint-5", root / "latest");
  files::create_symlink("/etc/passwd", root / "outside");
  files::create_symlink("nowhere", root / "dangling");
  files::create_directory_symlink(".", root / "loop");
  ASSERT_EQ(::mkfifo((root / "pipe").c_str(), 0600), 0);
  const auto tree = list_tree(root);
  ASSERT_TRUE(tree) << tree.error().message;
  EXPECT_THAT(paths(*tree), UnorderedElementsAre("checkpoint-5", "latest"));
  EXPECT_THAT(tree->left_out, UnorderedElementsAre("outside", "dangling", "loop", "pipe"));
}

TEST_F(ResultsTree, a_link_that_leads_to_itself_is_left_out) {
  write("model", "weights");
  files::create_symlink("itself", root / "itself");
  files::create_symlink("there", root / "back");
  files::create_symlink("back", root / "there");
  const auto tree = list_tree(root);
  ASSERT_TRUE(tree) << tree.error().message;
  EXPECT_THAT(paths(*tree), UnorderedElementsAre("model"));
  EXPECT_THAT(tree->left_out, UnorderedElementsAre("itself", "back", "there"));
}

TEST_F(ResultsTree, a_folder_that_is_not_there_is_empty) {
  const auto tree = list_tree(dir.path() / "no" / "such");
  ASSERT_TRUE(tree);
  EXPECT_TRUE(tree->empty());
}

TEST(ResultsManifest, says_whose_results_these_are) {
  Manifest manifest;
  manifest.attempt = {{"worker", 0}, 3};
  manifest.status.code = 7;
  manifest.finished = core::WallTime(core::Millis(1'700'000'000'123));
  manifest.files = {{"a%3Ab", 5, "abc"}};
  manifest.left_out = {"x:y"};
  const auto text = manifest.to_json();
  const auto object = core::parse_json_object(text);
  ASSERT_TRUE(object) << text;
  EXPECT_EQ(object->at("version"), 1);
  EXPECT_EQ(object->at("task"), "worker:0");
  EXPECT_EQ(object->at("exit_code"), 7);
  EXPECT_EQ(object->at("files").at(0).at("path"), "a%3Ab");
  EXPECT_EQ(object->at("files").at(0).at("size"), 5);
  EXPECT_EQ(object->at("left_out").at(0), "x%3Ay");
  EXPECT_EQ(Manifest::stamp_in(text), (ResultsStamp{3, "2023-11-14T22:13:20.123Z"}));
  EXPECT_EQ(Manifest::stamp_in("nonsense"), ResultsStamp{});
}

TEST(ResultsManifest, neighbours_are_hidden_and_beside_the_folder) {
  EXPECT_EQ(folder_being_saved("/jobs/x/results/worker-0", 2), "/jobs/x/results/.worker-0.new-2");
  EXPECT_EQ(folder_set_aside("/jobs/x/results/worker-0"), "/jobs/x/results/.worker-0.old");
}

}  // namespace
}  // namespace ydl::agent
