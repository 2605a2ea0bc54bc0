#include "agent/image/images.hpp"

#include "core/files.hpp"
#include "support/temp_dir.hpp"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::agent {
namespace {

namespace files = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Images, a_task_runs_in_the_foreground_with_its_folders_and_variables) {
  const ImageRun run{{"podman", "python:3", {"--ulimit", "nofile=1024"}},
                     "ydl-x-worker-0-1",
                     "/c/work",
                     {"/c/results", "/c/work"},
                     {{"TOKEN", "s3cret"}, {"PATH", "/opt/bin"}}};
  EXPECT_THAT(
      image_command(run, {"python", "train.py", "a b"}),
      ElementsAre("podman", "run", "--rm", "--name", "ydl-x-worker-0-1", "--network=host", "--workdir", "/c/work",
                  "--volume", "/c/results:/c/results", "--volume", "/c/work:/c/work", "--env", "PATH=/opt/bin", "--env",
                  "TOKEN", "--ulimit", "nofile=1024", "python:3", "python", "train.py", "a b"));
  EXPECT_TRUE(passed_by_name("TOKEN"));
  EXPECT_FALSE(passed_by_name("PATH")) << "podman itself is found with it";
}

TEST(Images, the_token_file_is_seen_and_cannot_be_changed) {
  ImageRun run{{"podman", "python:3"}, "n", "/c/work", {}, {}};
  run.token_file = "/c/container_tokens";
  const auto command = image_command(run, {"true"});
  EXPECT_THAT(command, testing::IsSupersetOf({"--volume", "/c/container_tokens:/c/container_tokens:ro"}));
}

TEST(Images, a_failure_of_the_runtime_is_one_line) {
  EXPECT_EQ(why_it_failed("Trying to pull localhost/x:1...\nError: initializing source: refused\n\n"),
            "Error: initializing source: refused");
  EXPECT_EQ(why_it_failed("Unable to find image 'x:1' locally\nError response from daemon: denied\nmore words\n"),
            "Error response from daemon: denied");
  EXPECT_EQ(why_it_failed(""), "");
}

TEST(Images, what_links_lead_to_is_seen_too_and_nothing_twice) {
  const test::TempDir dir;
  const auto root = files::canonical(dir.path());
  for (const auto* name : {"c/work/deep", "c/results", "cache/10"}) files::create_directories(root / name);
  ASSERT_TRUE(core::write_file_atomically(root / "cache/10/data", "x"));
  files::create_symlink(root / "cache/10/data", root / "c/data");
  protocol::Prepare request;
  request.working_directory = root / "c/work";
  request.results_directory = root / "c/results";
  request.links = {{root / "c/work/deep", "deep"}, {root / "cache/10/data", "cached"}};
  EXPECT_THAT(mounts_of(request), ElementsAre((root / "c/results").string(), (root / "c/work").string(),
                                              (root / "cache/10/data").string()));
  request.links = {{root / "c/data", "data"}};
  EXPECT_THAT(mounts_of(request), ElementsAre((root / "c").string(), (root / "cache/10/data").string()));
}

TEST(Images, an_entry_points_agent_goes_to_its_containers_directory_and_links_the_files) {
  const test::TempDir dir;
  const auto home = files::current_path();
  files::create_directories(dir.path() / "container");
  files::create_directories(dir.path() / "files/code");
  ASSERT_TRUE(core::write_file_atomically(dir.path() / "files/ydl", "x", 0700));
  const auto entered = enter_container(dir.path() / "container", dir.path() / "files");
  const auto here = files::current_path();
  files::current_path(home);
  ASSERT_TRUE(entered) << entered.error().message;
  EXPECT_EQ(here, files::canonical(dir.path() / "container"));
  EXPECT_EQ(files::read_symlink(here / "code"), dir.path() / "files/code");
  EXPECT_EQ(files::read_symlink(here / "ydl"), dir.path() / "files/ydl");
  const auto nowhere = enter_container(dir.path() / "none", dir.path() / "files");
  ASSERT_FALSE(nowhere);
  EXPECT_THAT(nowhere.error().message, HasSubstr("cannot enter the container's directory"));
}

TEST(Images, an_image_has_a_mark_and_no_nodemanager_above) {
  EXPECT_TRUE(in_image({true, {"bash", "containerd-shim"}}));
  EXPECT_FALSE(in_image({false, {"bash", "bash"}}));
  EXPECT_FALSE(in_image({true, {"bash", "java", "systemd"}})) << "the NodeManager itself is in a container";
  EXPECT_THAT(image_was_ignored("python:3", "node7"), HasSubstr("the NodeManager on node7 ignored the image python:3"));
}

TEST(Images, a_process_sees_those_above_it) {
  EXPECT_FALSE(look_around().ancestors.empty());
}

}  // namespace
}  // namespace ydl::agent
