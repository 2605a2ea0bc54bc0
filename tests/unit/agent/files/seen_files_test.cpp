#include "agent/files/seen_files.hpp"

#include "core/files.hpp"
#include "support/temp_dir.hpp"

#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ydl::agent {
namespace {

namespace files = std::filesystem;
using ::testing::UnorderedElementsAre;

class SeenFiles : public testing::Test {
 protected:
  SeenFiles() {
    request.working_directory = (dir.path() / "task").string();
    request.results_directory = (dir.path() / "results").string();
    request.linked_directory = (dir.path() / "submitted").string();
    for (const auto& path : {request.working_directory, request.results_directory, request.linked_directory})
      files::create_directories(path);
  }

  void write(const std::string& path, std::string_view text) const {
    files::create_directories((dir.path() / path).parent_path());
    ASSERT_TRUE(core::write_file_atomically(dir.path() / path, text));
  }

  [[nodiscard]] std::vector<std::string> seen() const {
    const auto found = look_at_results(request, ::getpid());
    EXPECT_TRUE(found) << found.error().message;
    std::vector<std::string> lines;
    for (const auto& file : *found) lines.push_back(file.path + " " + std::to_string(file.size));
    return lines;
  }

  test::TempDir dir;
  protocol::Prepare request;
};

TEST_F(SeenFiles, are_those_that_would_be_results) {
  write("results/model", "12345");
  write("results/run/log", "1");
  write("results/both/old", "1");
  write("task/both/new", "123");
  write("task/made", "12");
  write("submitted/train.py", "x");
  files::create_symlink(dir.path() / "submitted/train.py", dir.path() / "task/train.py");
  files::create_symlink(dir.path() / "results/model", dir.path() / "task/model");
  files::create_symlink(dir.path() / "results/model", dir.path() / "task/latest");
  files::create_symlink("/etc/passwd", dir.path() / "task/outside");
  ASSERT_EQ(::mkfifo((dir.path() / "task/pipe").c_str(), 0600), 0);
  EXPECT_THAT(seen(), UnorderedElementsAre("model 5", "run/log 1", "both/new 3", "made 2", "latest 5"));
}

TEST_F(SeenFiles, without_folders_are_an_error_that_names_one) {
  request.working_directory = "/no/such";
  const auto found = look_at_results(request, ::getpid());
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message, testing::HasSubstr("/no/such"));
}

TEST_F(SeenFiles, open_for_writing_is_told_of_the_processes_below) {
  write("results/model", "12345");
  write("results/read", "1");
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    (void)::open((dir.path() / "results/read").c_str(), O_RDONLY);
    (void)::open((dir.path() / "results/model").c_str(), O_RDWR);
    (void)!::write(ready[1], "x", 1);
    ::pause();
    ::_exit(0);
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  const auto found = look_at_results(request, ::getpid());
  const auto of_nobody = look_at_results(request, child);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::close(ready[0]);
  ::close(ready[1]);
  ASSERT_TRUE(found && of_nobody);
  for (const auto& file : *found) EXPECT_EQ(file.is_being_written, file.path == "model") << file.path;
  for (const auto& file : *of_nobody) EXPECT_FALSE(file.is_being_written) << "the root itself is ours";
}

TEST(SeenFilesFlags, say_whether_a_file_was_opened_for_writing) {
  EXPECT_TRUE(says_writing("pos:\t0\nflags:\t0100001\nmnt_id:\t29\n"));
  EXPECT_TRUE(says_writing("pos:\t0\nflags:\t02100002\n"));
  EXPECT_FALSE(says_writing("pos:\t0\nflags:\t0100000\n"));
  EXPECT_FALSE(says_writing(""));
}

}  // namespace
}  // namespace ydl::agent
