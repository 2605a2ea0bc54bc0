#include "cli/args/complete.hpp"

#include "ui/display.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::cli {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using Words = std::vector<std::string>;

CompletionSources sources() {
  CompletionSources some;
  some.jobs = [] { return std::vector<JobName>{{"mnist-a022", "running", true}, {"long-7c20", "succeeded", false}}; };
  some.tasks = [](const std::string& job) {
    return job == "mnist-a022" ? Words{"worker:0", "worker:1", "server:0"} : Words{};
  };
  return some;
}

// The words that are offered for the last of these; ":files" where files are.
Words offered(const Words& words, std::string_view program = "ydl") {
  const auto found = complete(program, words, sources());
  Words all;
  for (const auto& candidate : found.words) all.push_back(candidate.word);
  if (found.files) all.emplace_back(":files");
  return all;
}

TEST(Complete, the_first_word_is_a_command) {
  EXPECT_THAT(offered({"st"}), ElementsAre("status"));
  EXPECT_THAT(offered({""}), Contains("run"));
  EXPECT_THAT(offered({""}), Not(Contains("__master")));
  EXPECT_THAT(offered({"help", "do"}), ElementsAre("doctor"));
  EXPECT_THAT(offered({"--v"}), ElementsAre("--version"));
  EXPECT_THAT(offered({"xyzzy", ""}), IsEmpty());
  EXPECT_THAT(offered({}), Contains("run"));
}

TEST(Complete, options_are_those_of_the_command) {
  EXPECT_THAT(offered({"run", "--ret"}), ElementsAre("--retries"));
  EXPECT_THAT(offered({"ls", "--ret"}), IsEmpty());
  EXPECT_THAT(offered({"run", "--n", "2", "--det"}), ElementsAre("--detach"));
}

TEST(Complete, an_option_offers_its_values) {
  EXPECT_THAT(offered({"run", "--framework", "py"}), ElementsAre("pytorch"));
  EXPECT_THAT(offered({"run", "--framework=py"}), ElementsAre("--framework=pytorch"));
  EXPECT_THAT(offered({"run", "--cluster", ""}), ElementsAre("auto", "local", "yarn"));
  EXPECT_THAT(offered({"run", "--blacklist", "s"}), ElementsAre("strict"));
  EXPECT_THAT(offered({"run", "--restore-from", "l"}), ElementsAre("long-7c20"));
  EXPECT_THAT(offered({"run", "--python", ""}), ElementsAre(":files"));
  EXPECT_THAT(offered({"run", "--n", ""}), IsEmpty());
  EXPECT_THAT(offered({"logs", "--stream", "std"}), ElementsAre("stdout", "stderr"));
}

TEST(Complete, every_output_mode_that_is_offered_exists) {
  const auto modes = offered({"ls", "--output", ""});
  EXPECT_EQ(modes.size(), 5U);
  for (const auto& mode : modes) EXPECT_TRUE(ui::parse_mode(mode)) << mode;
}

TEST(Complete, kill_offers_running_jobs_and_status_all_jobs) {
  EXPECT_THAT(offered({"kill", ""}), ElementsAre("mnist-a022"));
  EXPECT_THAT(offered({"kill", "--now", ""}), ElementsAre("mnist-a022"));
  EXPECT_THAT(offered({"status", ""}), ElementsAre("mnist-a022", "long-7c20"));
  EXPECT_THAT(offered({"events", "--timeline", "lo"}), ElementsAre("long-7c20"));
  EXPECT_THAT(offered({"status", "long-7c20", ""}), IsEmpty());
}

TEST(Complete, logs_offer_a_job_and_then_its_tasks) {
  EXPECT_THAT(offered({"logs", "mn"}), ElementsAre("mnist-a022"));
  EXPECT_THAT(offered({"logs", "mnist-a022", "wo"}), ElementsAre("worker:0", "worker:1"));
  EXPECT_THAT(offered({"logs", "-f", "mnist-a022", "worker:1"}), ElementsAre("worker:1"));
  EXPECT_THAT(offered({"results", "get", "mnist-a022", "--task", "s"}), ElementsAre("server:0"));
}

TEST(Complete, commands_with_commands_of_their_own_offer_those) {
  EXPECT_THAT(offered({"env", ""}), ElementsAre("ls", "gc", "why"));
  EXPECT_THAT(offered({"results", ""}), ElementsAre("ls", "get"));
  EXPECT_THAT(offered({"results", "ls", "l"}), ElementsAre("long-7c20"));
  EXPECT_THAT(offered({"fs", "m"}), ElementsAre("mkdir", "mv"));
  EXPECT_THAT(offered({"fs", "put", ""}), ElementsAre(":files"));
  EXPECT_THAT(offered({"fs", "cat", ""}), IsEmpty());
  EXPECT_THAT(offered({"completion", "z"}), ElementsAre("zsh"));
  EXPECT_THAT(offered({"submit", ""}), ElementsAre(":files"));
}

TEST(Complete, the_words_of_a_task_are_files) {
  EXPECT_THAT(offered({"run", ""}), ElementsAre(":files"));
  EXPECT_THAT(offered({"run", "--", ""}), ElementsAre(":files"));
  EXPECT_THAT(offered({"run", "--", "python", "--fr"}), ElementsAre(":files"));
  EXPECT_THAT(offered({"run", "python", "--framework", ""}), ElementsAre(":files"));
}

TEST(Complete, ydl_mx_has_the_options_of_a_job) {
  EXPECT_THAT(offered({"--blackl"}, "ydl-mx"), ElementsAre("--blacklist"));
  EXPECT_THAT(offered({"--cluster", "y"}, "ydl-mx"), ElementsAre("yarn"));
  EXPECT_THAT(offered({"--n", "2", "train"}, "ydl-mx"), ElementsAre(":files"));
}

TEST(Complete, candidates_are_lines_with_their_texts) {
  EXPECT_EQ(candidate_lines({.words = {{"mnist-a022", "running"}, {"x", ""}}, .files = true}),
            "mnist-a022\trunning\nx\n:files\n");
}

}  // namespace
}  // namespace ydl::cli
