#include "core/user.hpp"

#include <gtest/gtest.h>

namespace ydl::core {
namespace {

constexpr std::string_view kPasswd =
    "root:x:0:0:root:/root:/bin/bash\n"
    "broken line\n"
    "ann:x:1000:1000:Ann,,,:/home/ann:/bin/zsh\n";

TEST(User, entries_of_passwd_are_found_by_uid) {
  EXPECT_EQ(find_passwd(kPasswd, 1000)->name, "ann");
  EXPECT_EQ(find_passwd(kPasswd, 1000)->home, "/home/ann");
  EXPECT_FALSE(find_passwd(kPasswd, 1001));
  EXPECT_FALSE(find_passwd("", 0));
}

TEST(User, hadoop_user_name_comes_before_user) {
  const Getenv both = [](const char* name) -> std::optional<std::string> {
    return std::string_view(name) == "HADOOP_USER_NAME" ? "etl" : "ann";
  };
  EXPECT_EQ(user_name(both), "etl");
  const Getenv user = [](const char* name) -> std::optional<std::string> {
    if (std::string_view(name) == "USER") return "ann";
    return std::nullopt;
  };
  EXPECT_EQ(user_name(user), "ann");
}

}  // namespace
}  // namespace ydl::core
