// A container's command and environment through a launch script as NodeManagers write it, run by a real shell.
#include "core/files.hpp"
#include "support/temp_dir.hpp"
#include "yarn/launch_context.hpp"
#include "yarn/proto/records.pb.h"

#include <cstdlib>
#include <gtest/gtest.h>

namespace ydl::yarn {
namespace {

void replace_all(std::string& text, std::string_view what, std::string_view with) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
}

// ContainerLaunch.expandEnvironment of Hadoop 3.4.
std::string expanded(std::string text, const std::string& log_folder) {
  replace_all(text, "<LOG_DIR>", log_folder);
  replace_all(text, "<CPS>", ":");
  replace_all(text, "<ADD_OPENS>", "--add-opens=java.base/java.lang=ALL-UNNAMED");
  replace_all(text, "{{", "$");
  replace_all(text, "}}", "");
  return text;
}

class LaunchScript : public testing::Test {
 protected:
  // What the launch writes to its standard output.
  std::string output_of(const Launch& launch) {
    const auto context = launch_context(launch).value();
    const std::string folder = folder_.path().string();
    std::string script = "#!/bin/bash\nset -o pipefail -e\nexport PWD_OF_CONTAINER=\"" + folder + "\"\n";
    for (const auto& entry : context.environment()) {
      script += "export " + entry.key() + "=\"" + expanded(entry.value(), folder) + "\"\n";
    }
    script += "exec /bin/bash -c \"" + expanded(context.command(0), folder) + "\"\n";
    EXPECT_TRUE(core::write_file_atomically(folder_.path() / "launch.sh", script));
    EXPECT_EQ(std::system(("/bin/bash " + folder + "/launch.sh").c_str()), 0);
    return core::read_file(folder_.path() / "stdout").value();
  }

  test::TempDir folder_;
};

const std::vector<std::string> kNasty{
    "",
    " ",
    "two  words",
    "it's",
    "say \"hi\"",
    "$HOME ${HOME} $(id) `id`",
    "back\\slash \\$ \\\" \\\\",
    "line\nbreak\n",
    "tab\tbell\a",
    "{{HOME}} {{ }} {{{{ }}}} {{{",
    "<LOG_DIR> <CPS> <ADD_OPENS> << >",
    "!history #comment ;semi &amp |pipe >redirect *",
    "\xc3\xa9\xe2\x82\xac\xf0\x9f\x90\x98",
    "-n",
    "'\"'\"'",
};

TEST_F(LaunchScript, every_word_reaches_the_command_byte_for_byte) {
  Launch launch{.command = {"/usr/bin/printf", "%s\\0"}};
  std::string expected;
  for (const auto& word : kNasty) {
    launch.command.push_back(word);
    expected += word + '\0';
  }
  EXPECT_EQ(output_of(launch), expected);
}

TEST_F(LaunchScript, every_value_reaches_the_environment_byte_for_byte) {
  Launch launch{.command = {"/usr/bin/env", "-0"}};
  for (std::size_t i = 0; i < kNasty.size(); ++i) launch.environment["NASTY_" + std::to_string(i)] = kNasty[i];
  const std::string output = '\0' + output_of(launch);
  for (const auto& [name, value] : launch.environment) {
    const std::string entry = '\0' + name + '=' + value + '\0';
    EXPECT_NE(output.find(entry), std::string::npos) << name << '=' << value;
  }
}

TEST_F(LaunchScript, what_is_to_be_expanded_is) {
  const Launch launch{.command = {"/usr/bin/printenv", "WHERE"},
                      .expanded_environment = {{"WHERE", "{{PWD_OF_CONTAINER}}/lib<CPS>x"}}};
  EXPECT_EQ(output_of(launch), folder_.path().string() + "/lib:x\n");
}

}  // namespace
}  // namespace ydl::yarn
