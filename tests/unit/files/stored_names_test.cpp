#include "files/stored_names.hpp"

#include <gtest/gtest.h>

namespace ydl::files {
namespace {

TEST(StoredNames, ordinary_names_stay_as_they_are) {
  for (const auto* name : {"model.params", "a b", "größe", "-x", "#1", "events.out.tfevents.1", ".hidden"}) {
    EXPECT_EQ(stored_name(name), name);
    EXPECT_EQ(original_name(name), name);
  }
}

TEST(StoredNames, characters_that_hdfs_refuses_are_escaped_and_restored) {
  EXPECT_EQ(stored_name("12:30"), "12%3A30");
  EXPECT_EQ(stored_name("100%"), "100%25");
  EXPECT_EQ(stored_name("\xff\xfe"), "%FF%FE");
  for (const std::string name : {"12:30", "100%", "\xff\xfe", "%3A", "%", "a\xc3", ":"}) {
    EXPECT_EQ(original_name(stored_name(name)), name);
  }
}

TEST(StoredNames, a_file_of_a_task_may_be_called_manifest_json) {
  EXPECT_EQ(stored_name("manifest.json"), "%6Danifest.json");
  EXPECT_EQ(original_name("%6Danifest.json"), "manifest.json");
  EXPECT_EQ(stored_path("run/manifest.json"), "run/%6Danifest.json");
}

TEST(StoredNames, names_that_lead_out_of_the_folder_are_refused) {
  for (const auto* stored : {"", ".", "..", "%2E%2E", "a%2Fb", "%00", "%", "%4", "%zz"}) {
    EXPECT_EQ(original_name(stored), std::nullopt) << stored;
  }
}

}  // namespace
}  // namespace ydl::files
