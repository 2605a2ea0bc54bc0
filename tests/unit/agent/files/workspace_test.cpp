#include "agent/files/workspace.hpp"

#include "core/files.hpp"
#include "core/process_guard.hpp"
#include "support/temp_dir.hpp"

#include <filesystem>
#include <gtest/gtest.h>
#include <sys/stat.h>

namespace ydl::agent {
namespace {

namespace fs = std::filesystem;

class Workspace : public testing::Test {
 protected:
  Workspace() {
    fs::create_directories(submitted);
    request.working_directory = (dir.path() / "work").string();
    request.results_directory = (dir.path() / "results").string();
    request.log_directory = (dir.path() / "logs").string();
    request.linked_directory = submitted.string();
  }

  static core::Result<void> prepare(const protocol::Prepare& request) {
    DirectoryListings listings;
    return prepare_workspace(request, listings);
  }
  static void write(const fs::path& path, std::string_view text) {
    ASSERT_TRUE(core::write_file_atomically(path, text));
  }
  [[nodiscard]] fs::path work(std::string_view name) const { return fs::path(request.working_directory) / name; }
  [[nodiscard]] fs::path results(std::string_view name) const { return fs::path(request.results_directory) / name; }

  test::TempDir dir;
  fs::path submitted = dir.path() / "submitted";
  protocol::Prepare request;
};

TEST_F(Workspace, what_lies_in_the_directory_of_submission_appears_in_the_tasks_own) {
  write(submitted / "train.py", "print()");
  fs::create_directory(submitted / "data");
  ASSERT_TRUE(prepare(request));
  EXPECT_EQ(core::read_file(work("train.py")), "print()");
  EXPECT_TRUE(fs::is_directory(work("data")));
}

TEST_F(Workspace, many_entries_are_not_linked_quickly) {
  write(submitted / "train.py", "");
  EXPECT_TRUE(is_made_quickly(request));
  for (int i = 0; i < 300; ++i) write(submitted / std::to_string(i), "");
  EXPECT_FALSE(is_made_quickly(request));
  request.linked_directory = "";
  EXPECT_TRUE(is_made_quickly(request));
  fs::rename(submitted, request.results_directory);
  EXPECT_FALSE(is_made_quickly(request)) << "what earlier attempts left is linked too";
}

TEST_F(Workspace, what_ydlignore_names_does_not_appear) {
  write(submitted / ".ydlignore", "# big things\n*.bin\ncache/\n");
  write(submitted / "a.bin", "");
  write(submitted / "a.py", "");
  fs::create_directory(submitted / "cache");
  ASSERT_TRUE(prepare(request));
  EXPECT_FALSE(fs::exists(work("a.bin")));
  EXPECT_FALSE(fs::exists(work("cache")));
  EXPECT_TRUE(fs::exists(work("a.py")));
}

TEST_F(Workspace, a_named_file_wins_over_what_lies_around) {
  write(submitted / "conf", "around");
  write(dir.path() / "other", "named");
  request.links.push_back({(dir.path() / "other").string(), "conf"});
  ASSERT_TRUE(prepare(request));
  EXPECT_EQ(core::read_file(work("conf")), "named");
}

TEST_F(Workspace, a_named_file_that_does_not_exist_is_an_error_that_names_it) {
  request.links.push_back({"/no/such/file", "x"});
  const auto prepared = prepare(request);
  ASSERT_FALSE(prepared);
  EXPECT_NE(prepared.error().message.find("/no/such/file does not exist"), std::string::npos);
}

TEST_F(Workspace, what_the_task_wrote_is_kept_and_what_was_linked_is_not) {
  write(submitted / "train.py", "print()");
  ASSERT_TRUE(prepare(request));
  write(work("mnist-0001.params"), "weights");
  fs::create_directories(work("run") / "deep");
  write(work("run") / "deep" / "x", "1");
  ASSERT_TRUE(keep_results(request));
  EXPECT_EQ(core::read_file(results("mnist-0001.params")), "weights");
  EXPECT_EQ(core::read_file(results("run") / "deep" / "x"), "1");
  EXPECT_FALSE(fs::exists(results("train.py")));
  EXPECT_TRUE(fs::exists(submitted / "train.py"));
}

TEST_F(Workspace, a_link_that_the_task_made_is_kept_and_one_of_ours_is_not) {
  write(submitted / "train.py", "print()");
  write(dir.path() / "other", "named");
  request.links.push_back({(dir.path() / "other").string(), "conf"});
  ASSERT_TRUE(prepare(request));
  fs::create_directory(work("keep"));
  write(work("keep") / "x", "1");
  fs::create_symlink("keep", work("latest"));
  fs::create_symlink("nowhere", work("dangling"));
  ASSERT_TRUE(keep_results(request));
  EXPECT_EQ(fs::read_symlink(results("latest")), "keep");
  EXPECT_EQ(core::read_file(results("latest") / "x"), "1");
  EXPECT_TRUE(fs::is_symlink(results("dangling")));
  EXPECT_FALSE(fs::exists(fs::symlink_status(results("train.py"))));
  EXPECT_FALSE(fs::exists(fs::symlink_status(results("conf"))));
  // The next attempt sees it, and leaves the link that it was given where it is.
  ASSERT_TRUE(prepare(request));
  EXPECT_EQ(core::read_file(work("latest") / "x"), "1");
  ASSERT_TRUE(keep_results(request));
  EXPECT_EQ(fs::read_symlink(results("latest")), "keep");
}

TEST_F(Workspace, folders_of_a_task_have_the_mode_that_its_user_gives_to_folders) {
  const auto mask = ::umask(026);
  core::guard_files();
  request.results_directory = (dir.path() / "made" / "results").string();
  const auto prepared = prepare(request);
  const auto ours = ::umask(mask);
  ASSERT_TRUE(prepared) << prepared.error().message;
  for (const auto& folder : {fs::path(request.working_directory), dir.path() / "made", dir.path() / "made" / "results"})
    EXPECT_EQ(static_cast<unsigned>(fs::status(folder).permissions()), 0751U) << folder;
  EXPECT_EQ(ours, 077U);
}

TEST_F(Workspace, relative_paths_are_below_the_containers_directory_and_its_logs) {
  protocol::Prepare relative;
  relative.working_directory = "work";
  relative.results_directory = "./results";
  relative.log_directory = "worker-0/1";
  relative.links = {{"shipped/data", "data"}, {"/mnt/x", "x"}};
  const auto placed = with_absolute_paths(relative, "/c", "/logs");
  EXPECT_EQ(placed.working_directory, "/c/work");
  EXPECT_EQ(placed.results_directory, "/c/results");
  EXPECT_EQ(placed.log_directory, "/logs/worker-0/1");
  EXPECT_EQ(placed.linked_directory, "");
  EXPECT_EQ(placed.links[0].target, "/c/shipped/data");
  EXPECT_EQ(placed.links[1].target, "/mnt/x");
  EXPECT_EQ(with_absolute_paths(relative, "/c", "").log_directory, "/c/worker-0/1");
  EXPECT_EQ(with_absolute_paths(request, "/c", "/logs").working_directory, request.working_directory);
}

TEST_F(Workspace, results_in_an_argument_is_the_folder_that_is_saved) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(with_results_folder({"a", "--out={results}", "{results}/x:{results}"}, "/r"),
            (Words{"a", "--out=/r", "/r/x:/r"}));
  EXPECT_EQ(with_results_folder({"{{results}}", "f'{{results}} {results}'", "{result}"}, "/r"),
            (Words{"{results}", "f'{results} /r'", "{result}"}));
  EXPECT_EQ(with_results_folder({"{results}"}, "/{results}"), (Words{"/{results}"}));
}

TEST_F(Workspace, half_a_copy_of_an_agent_that_was_killed_is_not_a_result) {
  fs::create_directories(request.results_directory);
  write(results(".ydl-unfinished-0123"), "wei");
  write(results("model"), "weights");
  ASSERT_TRUE(prepare(request));
  EXPECT_FALSE(fs::exists(work(".ydl-unfinished-0123")));
  EXPECT_FALSE(fs::exists(results(".ydl-unfinished-0123")));
  EXPECT_EQ(core::read_file(work("model")), "weights");
}

TEST_F(Workspace, the_next_attempt_finds_what_the_last_one_left_and_may_replace_it) {
  ASSERT_TRUE(prepare(request));
  write(work("checkpoint"), "one");
  ASSERT_TRUE(keep_results(request));
  ASSERT_TRUE(prepare(request));
  EXPECT_EQ(core::read_file(work("checkpoint")), "one");
  fs::remove(work("checkpoint"));
  write(work("checkpoint"), "two");
  ASSERT_TRUE(keep_results(request));
  EXPECT_EQ(core::read_file(results("checkpoint")), "two");
}

// ---- the directories of an attempt before this one

TEST_F(Workspace, the_working_directory_and_the_inputs_of_an_earlier_attempt_are_removed) {
  ASSERT_TRUE(prepare(request));
  write(work("x"), "1");
  fs::create_directories(inputs_directory(request) / "data");
  write(inputs_directory(request) / "data" / "part", "1");
  ASSERT_TRUE(put_earlier_aside(request, 1));
  EXPECT_FALSE(fs::exists(request.working_directory));
  EXPECT_FALSE(fs::exists(request.working_directory + ".1"));
  EXPECT_FALSE(fs::exists(inputs_directory(request)));
  EXPECT_FALSE(fs::exists(inputs_directory(request).string() + ".1"));
  EXPECT_TRUE(put_earlier_aside(request, 2)) << "there is nothing to remove";
}

TEST_F(Workspace, read_only_folders_of_an_earlier_attempt_are_removed_too) {
  ASSERT_TRUE(prepare(request));
  fs::create_directories(work("a") / "b");
  write(work("a") / "b" / "x", "1");
  for (const auto& folder : {work("a") / "b", work("a"), work("")}) fs::permissions(folder, fs::perms::owner_read);
  const auto done = put_earlier_aside(request, 1);
  EXPECT_TRUE(done) << done.error().message;
  EXPECT_FALSE(fs::exists(request.working_directory));
  EXPECT_FALSE(fs::exists(request.working_directory + ".1"));
}

TEST_F(Workspace, what_could_not_be_removed_of_one_attempt_is_not_in_the_way_of_the_next) {
  fs::create_directories(request.working_directory + ".1");  // as if it had been renamed and not removed
  ASSERT_TRUE(prepare(request));
  ASSERT_TRUE(put_earlier_aside(request, 1));
  EXPECT_TRUE(fs::exists(request.working_directory + ".1"));
  EXPECT_FALSE(fs::exists(request.working_directory + ".2"));
  EXPECT_FALSE(fs::exists(request.working_directory));
}

}  // namespace
}  // namespace ydl::agent
