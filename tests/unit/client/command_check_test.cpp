#include "client/command_check.hpp"

#include "client/command_errors.hpp"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

namespace ydl::client {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// A directory with a program, a file that is not executable and a folder of PATH with one program.
class CommandCheck : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "ydl-commands-XXXXXX").string();
    root_ = ::mkdtemp(pattern.data());
    fs::create_directories(root_ / "work/folder");
    fs::create_directories(root_ / "bin");
    write(root_ / "work/train", fs::perms::owner_all);
    write(root_ / "work/notes.txt", fs::perms::owner_read);
    write(root_ / "bin/simulate", fs::perms::owner_all);
  }
  void TearDown() override { fs::remove_all(root_); }

  static void write(const fs::path& file, fs::perms perms) {
    std::ofstream(file) << "#!/bin/sh\n";
    fs::permissions(file, perms);
  }

  [[nodiscard]] spec::JobSpec job(const std::string& word) const {
    spec::JobSpec job;
    job.directory = (root_ / "work").string();
    job.auto_files = true;
    job.command = {word, "--x"};
    spec::Role role;
    role.name = "worker";
    job.roles = {role};
    return job;
  }
  // Exit code and sentence; 0 where nothing is wrong.
  [[nodiscard]] std::string checked(const spec::JobSpec& job,
                                    core::ClusterKind cluster = core::ClusterKind::local) const {
    const auto ok = check_commands(job, cluster, (root_ / "bin").string());
    return ok ? "fine" : fmt::format("{} {}", command_exit_code(ok.error()), ok.error().message);
  }

  fs::path root_;
};

TEST_F(CommandCheck, programs_that_are_there_pass) {
  EXPECT_EQ(checked(job("./train")), "fine");
  EXPECT_EQ(checked(job("simulate")), "fine");
  EXPECT_EQ(checked(job((root_ / "bin/simulate").string())), "fine");
}

TEST_F(CommandCheck, a_path_that_does_not_exist_is_127) {
  EXPECT_EQ(checked(job("./nothere.sh")), fmt::format("127 ./nothere.sh does not exist in {}/work", root_.string()));
  EXPECT_EQ(checked(job("/no/such/train")), "127 /no/such/train does not exist");
}

TEST_F(CommandCheck, a_word_that_is_not_on_path_is_127_with_the_nearest_program) {
  EXPECT_EQ(checked(job("simluate")), "127 there is no program `simluate` on your PATH (did you mean `simulate`?)");
  EXPECT_EQ(checked(job("train")), "127 there is no program `train` on your PATH (did you mean `./train`?)");
  EXPECT_EQ(checked(job("xyzzy")), "127 there is no program `xyzzy` on your PATH");
  EXPECT_THAT(checked(job("simulate --fast")), HasSubstr("(write the words of a command without quotes"));
}

TEST_F(CommandCheck, a_file_that_is_not_executable_is_126) {
  EXPECT_THAT(checked(job("./notes.txt")), HasSubstr("126 ./notes.txt is not executable; run `chmod +x ./notes.txt`"));
  EXPECT_EQ(checked(job("./folder")), "126 ./folder is a directory; name a program");
}

TEST_F(CommandCheck, what_a_host_of_a_cluster_may_have_is_not_checked_here) {
  for (const auto* word : {"xyzzy", "/opt/tool/train"}) EXPECT_EQ(checked(job(word), core::ClusterKind::yarn), "fine");
  EXPECT_THAT(checked(job("./nothere.sh"), core::ClusterKind::yarn), HasSubstr("127 ./nothere.sh does not exist"));
}

TEST_F(CommandCheck, what_an_image_an_environment_or_an_archive_may_have_is_not_checked) {
  auto in_image = job("xyzzy");
  in_image.image.emplace().name = "python:3";
  EXPECT_EQ(checked(in_image), "fine");
  auto in_env = job("xyzzy");
  in_env.python_env = "env.tar.gz";
  EXPECT_EQ(checked(in_env), "fine");
  auto attached = job("./tools/run.sh");
  attached.archives = {{.source = "tools.tar.gz", .name = "tools"}};
  EXPECT_EQ(checked(attached), "fine");
}

TEST_F(CommandCheck, the_path_of_the_task_counts) {
  auto with_path = job("simulate");
  with_path.env["PATH"] = "/nowhere";
  EXPECT_THAT(checked(with_path), HasSubstr("there is no program `simulate`"));
  with_path.env["PATH"] = "bin:/nowhere";  // a folder that is looked for where the task runs
  EXPECT_EQ(checked(with_path), "fine");
}

TEST_F(CommandCheck, every_role_is_checked) {
  auto two = job("simulate");
  two.roles.push_back(two.roles.front());
  two.roles.back().name = "side";
  two.roles.back().command = {"./nothere"};
  EXPECT_THAT(checked(two), HasSubstr("./nothere does not exist"));
}

TEST_F(CommandCheck, without_the_files_of_the_directory_a_program_has_to_be_added) {
  auto bare = job("./train");
  bare.auto_files = false;
  EXPECT_EQ(checked(bare), "0 --no-auto-files: the tasks would not find ./train; add --file ./train");
  bare.files = {{.source = "train", .name = {}}};
  EXPECT_EQ(checked(bare), "fine");
}

}  // namespace
}  // namespace ydl::client
