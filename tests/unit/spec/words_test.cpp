#include "spec/words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::spec {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> words(std::string_view line) {
  auto split = split_words(line);
  return split ? *split : std::vector<std::string>{"error: " + split.error().message};
}

TEST(Words, blanks_separate) {
  EXPECT_THAT(words("  python\ttrain.py\n --epochs  2 "), ElementsAre("python", "train.py", "--epochs", "2"));
  EXPECT_THAT(words(" \n"), IsEmpty());
}

TEST(Words, a_second_line_must_continue_the_command) {
  EXPECT_THAT(words("python train.py\n--epochs 2\n"), ElementsAre("python", "train.py", "--epochs", "2"));
  EXPECT_THAT(words("echo a\necho b\n"), ElementsAre(HasSubstr("it has several lines")));
  EXPECT_THAT(words("echo 'a\nb'"), ElementsAre("echo", "a\nb"));
}

TEST(Words, quoted_text_may_contain_blanks_be_empty_or_be_part_of_a_word) {
  EXPECT_THAT(words(R"(a 'b  c' "d e" '' "")"), ElementsAre("a", "b  c", "d e", "", ""));
  EXPECT_THAT(words(R"(--x='a b'"c")"), ElementsAre("--x=a bc"));
}

TEST(Words, backslashes_work_as_in_a_shell) {
  EXPECT_THAT(words(R"(a\ b \\ \' \")"), ElementsAre("a b", "\\", "'", "\""));
  EXPECT_THAT(words(R"('a\b')"), ElementsAre(R"(a\b)"));
  EXPECT_THAT(words(R"("\"\\\$\`\n")"), ElementsAre(R"("\$`\n)"));
  EXPECT_THAT(words("a\\\nb \"c\\\nd\""), ElementsAre("ab", "cd"));
}

TEST(Words, nothing_is_expanded) {
  EXPECT_THAT(words("$HOME *.py ~ #x a=b `x`"), ElementsAre("$HOME", "*.py", "~", "#x", "a=b", "`x`"));
}

TEST(Words, open_quotes_and_a_final_backslash_are_errors) {
  EXPECT_THAT(words("a 'b"), ElementsAre(HasSubstr("single quote")));
  EXPECT_THAT(words("a \"b"), ElementsAre(HasSubstr("double quote")));
  EXPECT_THAT(words("a \"b\\"), ElementsAre(HasSubstr("double quote")));
  EXPECT_THAT(words("a \\"), ElementsAre(HasSubstr("backslash")));
}

TEST(Words, operators_of_a_shell_are_refused_unless_quoted) {
  for (const auto* line : {"a && b", "a | b", "a; b", "a > b", "a < b", "(a)", "x?a=1&b=2"}) {
    EXPECT_THAT(words(line), ElementsAre(HasSubstr("[sh, -c,"))) << line;
  }
  EXPECT_THAT(words("'x?a=1&b=2' \\;"), ElementsAre("x?a=1&b=2", ";"));
}

}  // namespace
}  // namespace ydl::spec
