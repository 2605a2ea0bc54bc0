#include "cli/commands/result_names.hpp"

#include <gtest/gtest.h>

namespace ydl::cli {
namespace {

TEST(ResultNames, what_was_being_saved_when_something_died_is_not_shown) {
  EXPECT_EQ(result_name(".worker-0.new-2", ResultLevel::task), std::nullopt);
  EXPECT_EQ(result_name(".worker-0.old", ResultLevel::task), std::nullopt);
  EXPECT_EQ(result_name("worker-0", ResultLevel::task), "worker-0");
}

TEST(ResultNames, files_have_the_names_that_the_task_gave_them) {
  EXPECT_EQ(result_name("12%3A30", ResultLevel::file), "12:30");
  EXPECT_EQ(result_name(".hidden", ResultLevel::file), ".hidden");
}

TEST(ResultNames, a_manifest_is_shown_only_where_the_task_wrote_it) {
  EXPECT_EQ(result_name("manifest.json", ResultLevel::file), std::nullopt);
  EXPECT_EQ(result_name("%6Danifest.json", ResultLevel::file), "manifest.json");
}

TEST(ResultNames, what_no_task_has_saved_is_shown_as_it_is) {
  EXPECT_EQ(result_name("100%", ResultLevel::file), "100%");
}

}  // namespace
}  // namespace ydl::cli
