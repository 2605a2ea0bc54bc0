#include "ui/line.hpp"

#include <gtest/gtest.h>
#include <map>

namespace ydl::ui {
namespace {

core::Getenv environment(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

TEST(Line, is_cut_by_columns_with_its_tones_closed) {
  const Style colour{Colour::on, Charset::unicode};
  const Line line = Line("ab", Tone::red).add("数据", Tone::green).add("!");
  EXPECT_EQ(line.width(), 7);
  EXPECT_EQ(line.cut_to(7, colour), "\x1b[31mab\x1b[0m\x1b[32m数据\x1b[0m!");
  EXPECT_EQ(line.cut_to(5, colour), "\x1b[31mab\x1b[0m\x1b[32m数\x1b[0m…");
  EXPECT_EQ(line.cut_to(3, colour), "\x1b[31mab\x1b[0m…");
  EXPECT_EQ(line.cut_to(5, Style{Colour::off, Charset::ascii}), "ab...");
  EXPECT_EQ(line.cut_to(0, colour), "");
}

TEST(Line, text_cannot_contain_escape_sequences_of_its_own) {
  EXPECT_EQ(Line("a\x1b[2Jb\nc").whole({}), "ab c");
}

TEST(Style, no_color_and_dumb_terminals_get_no_colour) {
  EXPECT_EQ(terminal_style(environment({{"TERM", "xterm"}})).colour, Colour::on);
  EXPECT_EQ(terminal_style(environment({{"TERM", "xterm"}, {"NO_COLOR", "1"}})).colour, Colour::off);
  EXPECT_EQ(terminal_style(environment({{"TERM", "xterm"}, {"NO_COLOR", ""}})).colour, Colour::on);
  EXPECT_EQ(terminal_style(environment({{"TERM", "dumb"}})).colour, Colour::off);
  EXPECT_EQ(terminal_style(environment({})).colour, Colour::off);
}

TEST(Style, symbols_are_ascii_unless_the_locale_names_utf8) {
  EXPECT_EQ(terminal_style(environment({{"LANG", "en_US.UTF-8"}})).charset, Charset::unicode);
  EXPECT_EQ(terminal_style(environment({{"LANG", "C.utf8"}})).charset, Charset::unicode);
  EXPECT_EQ(terminal_style(environment({{"LANG", "en_US.UTF-8"}, {"LC_ALL", "C"}})).charset, Charset::ascii);
  EXPECT_EQ(terminal_style(environment({{"LANG", "en_US.UTF-8"}, {"LC_ALL", ""}})).charset, Charset::unicode);
  EXPECT_EQ(terminal_style(environment({})).charset, Charset::ascii);
}

}  // namespace
}  // namespace ydl::ui
