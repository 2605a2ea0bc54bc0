#include "agent/process/shebang.hpp"

#include "agent/process/launch_request.hpp"

#include <gtest/gtest.h>

namespace ydl::agent {
namespace {

TEST(Shebang, the_rest_of_the_line_is_one_argument) {
  const auto plain = parse_shebang("#!/bin/sh\necho\n");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->interpreter, "/bin/sh");
  EXPECT_EQ(plain->argument, "");
  const auto with = parse_shebang("#!  /usr/bin/env   python3 -u  \n");
  ASSERT_TRUE(with);
  EXPECT_EQ(with->interpreter, "/usr/bin/env");
  EXPECT_EQ(with->argument, "python3 -u");
}

TEST(Shebang, a_file_that_is_not_a_script_has_none) {
  for (const auto* text : {"", "#", "#!", "#!\n", "#!  \n/bin/sh", "\177ELF", "echo\n#!/bin/sh\n"}) {
    EXPECT_FALSE(parse_shebang(text)) << text;
  }
  EXPECT_EQ(parse_shebang("#!/bin/sh")->interpreter, "/bin/sh");
}

TEST(Shebang, env_is_asked_for_the_program_it_would_run) {
  EXPECT_EQ(program_of_env("python3"), "python3");
  EXPECT_EQ(program_of_env("python3 -u"), "python3 -u");  // one word for env, spaces and all
  EXPECT_EQ(program_of_env("-S python3 -u"), "python3");
  EXPECT_EQ(program_of_env("-S A=1 python3"), "python3");
  EXPECT_FALSE(program_of_env(""));
  EXPECT_FALSE(program_of_env("-i"));
  EXPECT_FALSE(program_of_env("-S"));
  EXPECT_FALSE(program_of_env("-S -i python3"));
}

TEST(LaunchRequest, a_command_is_searched_as_execvp_does) {
  EXPECT_EQ(candidates("sh", "/usr/bin:/bin"), (std::vector<std::string>{"/usr/bin/sh", "/bin/sh"}));
  EXPECT_EQ(candidates("sh", ":/bin"), (std::vector<std::string>{"./sh", "/bin/sh"}));
  EXPECT_EQ(candidates("./sh", "/bin"), (std::vector<std::string>{"./sh"}));
}

}  // namespace
}  // namespace ydl::agent
