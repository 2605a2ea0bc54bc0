#include "cli/args/output_word.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace ydl::cli {
namespace {

bool asks(const std::vector<std::string>& words) {
  return names_json_output(words);
}

TEST(NamesJsonOutput, in_both_spellings_and_at_any_position) {
  EXPECT_TRUE(asks({"ls", "--output", "json", "--nope"}));
  EXPECT_TRUE(asks({"--nope", "--output=json"}));
  EXPECT_FALSE(asks({"ls", "--output", "plain"}));
  EXPECT_FALSE(asks({"ls", "--output"}));
  EXPECT_FALSE(asks({}));
}

TEST(NamesJsonOutput, what_belongs_to_a_task_does_not_count) {
  EXPECT_FALSE(asks({"run", "--nope", "--", "train", "--output", "json"}));
  EXPECT_FALSE(asks({"run", "--output", "--", "json"}));
}

}  // namespace
}  // namespace ydl::cli
