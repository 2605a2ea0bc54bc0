#include "agent/job_folder_look.hpp"

#include <gtest/gtest.h>

namespace ydl::agent {
namespace {

TEST(JobFolderLook, a_final_state_says_that_the_job_is_over) {
  for (const auto* state : {"succeeded", "failed", "stopped"})
    EXPECT_TRUE(says_that_job_is_over(std::string(R"({"version":1,"state":")") + state + R"("})")) << state;
  for (const auto* state : {"placing", "running", "restarting", "stopping", "lost", "of a later version", ""})
    EXPECT_FALSE(says_that_job_is_over(std::string(R"({"version":1,"state":")") + state + R"("})")) << state;
}

TEST(JobFolderLook, content_that_is_not_a_state_is_ignored) {
  for (const auto* text : {"", "[]", "{}", "succeeded", R"({"state":3})", R"({"state":"succeeded")"})
    EXPECT_FALSE(says_that_job_is_over(text)) << text;
}

}  // namespace
}  // namespace ydl::agent
