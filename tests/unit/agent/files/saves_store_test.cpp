#include "agent/files/saves_store.hpp"

#include <gtest/gtest.h>

namespace ydl::agent {
namespace {

hdfs::FileStatus entry(const std::string& name, std::uint64_t length) {
  hdfs::FileStatus status;
  status.name = name;
  status.length = length;
  return status;
}

SaveManifest manifest() {
  return {{{"worker", 0}, 1}, {}, 4, {{"a", "1-1-a", 5, 0644, 0, {}}, {"b", "1-3-b", 0, 0644, 0, {}}}};
}

TEST(SavesStore, a_save_whose_files_are_all_there_is_complete) {
  const auto stored = compare_save(manifest(), {entry("1-1-a", 5), entry("1-2-old", 9), entry("1-3-b", 0),
                                                entry("manifest.json", 100), entry("another program's", 1)});
  EXPECT_EQ(stored.missing, "");
  EXPECT_FALSE(stored.is_interrupted) << "an earlier version that was not deleted yet is not a sign of a later save";
}

TEST(SavesStore, a_file_that_is_missing_or_too_short_is_named) {
  EXPECT_EQ(compare_save(manifest(), {entry("1-1-a", 5)}).missing, "1-3-b");
  EXPECT_EQ(compare_save(manifest(), {entry("1-1-a", 4), entry("1-3-b", 0)}).missing, "1-1-a");
}

TEST(SavesStore, files_with_later_numbers_are_of_a_save_that_was_interrupted) {
  EXPECT_TRUE(compare_save(manifest(), {entry("1-1-a", 5), entry("1-3-b", 0), entry("1-4-a", 2)}).is_interrupted);
}

TEST(SavesStore, a_save_is_newer_than_results_that_were_finished_before_it) {
  auto save = manifest();
  save.saved = core::WallTime(core::Millis(1'700'000'000'123));
  EXPECT_TRUE(is_newer(save, std::nullopt));
  EXPECT_TRUE(is_newer(save, ResultsStamp{7, "2023-11-14T22:13:20.122Z"}));
  EXPECT_FALSE(is_newer(save, ResultsStamp{1, "2023-11-14T22:13:20.123Z"}));
  EXPECT_TRUE(is_newer(save, ResultsStamp{})) << "results without a manifest have no time";
}

}  // namespace
}  // namespace ydl::agent
