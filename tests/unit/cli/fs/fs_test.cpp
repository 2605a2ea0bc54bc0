#include "cli/fs/fs_command.hpp"
#include "cli/fs/fs_copy.hpp"
#include "cli/fs/fs_mode.hpp"
#include "core/strings.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

namespace ydl::cli {
namespace {

using Paths = std::vector<std::string>;

core::Result<Fs> parse_words(std::string_view line) {
  std::vector<std::string> words;
  for (const auto word : core::split(line, ' ')) words.emplace_back(word);
  return parse_fs(words);
}

Fs parsed(std::string_view line) {
  auto command = parse_words(line);
  if (command) return *command;
  ADD_FAILURE() << line << ": " << command.error().message;
  return {};
}

std::string complaint(std::string_view line) {
  const auto command = parse_words(line);
  if (!command) {
    EXPECT_EQ(command.error().code, core::Errc::usage) << line;
    return command.error().message;
  }
  return "";
}

TEST(FsParse, flags_are_joined_and_stand_anywhere) {
  const Fs ls = parsed("ls /a -Rh /b");
  EXPECT_TRUE(ls.recursive && ls.human);
  EXPECT_EQ(ls.paths, (Paths{"/a", "/b"}));
  EXPECT_TRUE(parsed("rm -rf x").force);
  EXPECT_TRUE(parsed("rm -R x").recursive);
  EXPECT_TRUE(parsed("rm --skip-trash x").skip_trash);
  EXPECT_TRUE(parsed("tail -f x").follow);
  EXPECT_EQ(parsed("tail -n 3 x").lines, 3);
  EXPECT_TRUE(parsed("mkdir -p x").parents);
}

TEST(FsParse, what_may_replace_files_is_said) {
  for (const auto* verb : {"get", "put", "mv"}) {
    EXPECT_FALSE(parsed(fmt::format("{} a b", verb)).force) << verb;
    EXPECT_TRUE(parsed(fmt::format("{} -f a b", verb)).force) << verb;
    EXPECT_TRUE(parsed(fmt::format("{} a b --force", verb)).force) << verb;
  }
  EXPECT_NE(complaint("tail --force x"), "");
  EXPECT_NE(complaint("cat -f x"), "");
}

TEST(FsParse, after_two_dashes_everything_is_a_path) {
  EXPECT_EQ(parsed("cat -- -r --help").paths, (Paths{"-r", "--help"}));
  EXPECT_EQ(parsed("put - /a").paths, (Paths{"-", "/a"}));
}

TEST(FsParse, ls_without_a_path_means_home) {
  EXPECT_EQ(parsed("ls").paths, (Paths{"."}));
  EXPECT_EQ(parsed("chmod 640 /a").mode, "640");
  EXPECT_EQ(parsed("chmod 640 /a").paths, (Paths{"/a"}));
}

TEST(FsParse, output_is_taken_with_and_without_a_sign) {
  EXPECT_EQ(parsed("ls --output json").output, ui::Mode::json);
  EXPECT_EQ(parsed("ls --output=quiet").output, ui::Mode::quiet);
  EXPECT_NE(complaint("ls --output"), "");
  EXPECT_NE(complaint("ls --output nonsense"), "");
}

TEST(FsParse, mistakes_are_answered_with_the_usage) {
  EXPECT_EQ(complaint("mv a"), "usage: ydl fs mv [-f] FROM … TO");
  EXPECT_EQ(complaint("ls -x"), "`ydl fs ls` has no option -x (usage: ydl fs ls [-R] [-h] [PATH …])");
  EXPECT_EQ(complaint("lss /"), "unknown command 'ydl fs lss'; did you mean 'ls'? (`ydl fs --help` lists them)");
  EXPECT_NE(complaint("cat --skip-trash x"), "");
  EXPECT_NE(complaint("tail -n many x"), "");
}

std::string mode(std::string_view text, std::uint32_t before, IsDirectory directory = IsDirectory::no) {
  const auto after = apply_mode(text, before, directory);
  if (!after) return "error";
  std::string octal;
  for (int shift = 9; shift >= 0; shift -= 3)
    octal += static_cast<char>('0' + ((*after >> static_cast<unsigned>(shift)) & 7U));
  return octal;
}

TEST(FsMode, octal_and_letters) {
  EXPECT_EQ(mode("640", 0777), "0640");
  EXPECT_EQ(mode("1777", 0), "1777");
  EXPECT_EQ(mode("u+x", 0644), "0744");
  EXPECT_EQ(mode("go-rw", 0666), "0600");
  EXPECT_EQ(mode("a=r", 0777), "0444");
  EXPECT_EQ(mode("+x", 0600), "0711");
  EXPECT_EQ(mode("u=rwx,g=rx,o=", 0), "0750");
  EXPECT_EQ(mode("a+X", 0644), "0644");
  EXPECT_EQ(mode("a+X", 0644, IsDirectory::yes), "0755");
  EXPECT_EQ(mode("+t", 0755), "1755");
}

TEST(FsMode, an_invalid_mode_is_an_error) {
  for (const auto* text : {"", "888", "7777777", "u", "u+q", "z+r", "u+x,"})
    EXPECT_EQ(mode(text, 0644), "error") << text;
}

TEST(FsCopy, an_unfinished_file_has_a_name_that_is_not_too_long) {
  EXPECT_EQ(unfinished_name("", "a", "._COPYING_"), "a._COPYING_");
  EXPECT_EQ(unfinished_name(".", "a", ".17"), ".a.17");
  for (const std::size_t size : {244U, 245U, 246U, 255U}) {
    const auto name = unfinished_name("", std::string(size, 'x'), "._COPYING_");
    EXPECT_EQ(name.size(), std::min<std::size_t>(size + 10, 255));
    EXPECT_TRUE(name.starts_with("xxx") && name.ends_with("._COPYING_")) << name;
  }
  EXPECT_EQ(unfinished_name("", std::string(256, 'x'), "._COPYING_").size(), 266) << "HDFS says that it is too long";
}

TEST(FsCopy, an_unfinished_files_name_ends_with_a_whole_character) {
  std::string name = "x";
  while (name.size() < 255) name += "\xc3\xa9";
  const auto unfinished = unfinished_name(".", name, ".17");
  EXPECT_EQ(unfinished.size(), 254);
  EXPECT_EQ(core::printable(unfinished), unfinished);
}

}  // namespace
}  // namespace ydl::cli
