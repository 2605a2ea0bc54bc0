#include "core/temporary_names.hpp"

#include <gtest/gtest.h>

namespace ydl::core {
namespace {

TEST(TemporaryNames, a_new_name_is_recognised_and_differs_each_time) {
  const auto name = temporary_name("view.json");
  EXPECT_TRUE(name.starts_with("view.json."));
  EXPECT_TRUE(is_temporary_name(name));
  EXPECT_NE(name, temporary_name("view.json"));
}

TEST(TemporaryNames, names_of_users_files_are_not_recognised) {
  EXPECT_TRUE(is_temporary_name("view.json.03fa91c2.tmp"));
  for (const auto* name :
       {"", "view.json", "view.json.tmp", "view.json.03fa91c.tmp", "view.json.03fa91cg.tmp", "view.json-03fa91c2.tmp",
        ".03fa91c2.tmp", "view.json.03fa91c2.tmp.d", "view.json.03FA91C2.tmp"})
    EXPECT_FALSE(is_temporary_name(name)) << name;
}

}  // namespace
}  // namespace ydl::core
