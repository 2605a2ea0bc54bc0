#include "spec/document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::spec {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string error_of(std::string_view text) {
  const auto parsed = parse_document(text, "f");
  return parsed ? "accepted" : parsed.error().message;
}

std::string repeat(std::string_view unit, std::size_t bytes) {
  std::string text;
  while (text.size() + unit.size() <= bytes) text += unit;
  return text;
}

// Nested aliases, each level with ten copies of the previous one, starting with `leaf`.
std::string bomb(int levels, std::string_view leaf) {
  std::string text = "a0: &a0 " + std::string(leaf) + "\n";
  for (int level = 1; level < levels; ++level) {
    const auto below = "*a" + std::to_string(level - 1);
    text += "a" + std::to_string(level) + ": &a" + std::to_string(level) + " [" + below;
    for (int i = 1; i < 10; ++i) text += ", " + below;
    text += "]\n";
  }
  return text;
}

TEST(Document, every_value_has_its_position_and_its_text) {
  const auto root = parse_document("a: 1.50\nb:\n  - 'x'\n  - ~\n", "f");
  ASSERT_TRUE(root);
  const Entry* a = root->find("a");
  ASSERT_NE(a, nullptr);
  EXPECT_EQ(a->value.text, "1.50");
  EXPECT_FALSE(a->value.quoted);
  EXPECT_EQ(a->at, (Position{1, 1}));
  EXPECT_EQ(a->value.at, (Position{1, 4}));
  const Entry* b = root->find("b");
  ASSERT_NE(b, nullptr);
  ASSERT_EQ(b->value.items.size(), 2U);
  EXPECT_TRUE(b->value.items[0].quoted);
  EXPECT_EQ(b->value.items[0].at.line, 3);
  EXPECT_EQ(b->value.items[1].kind, NodeKind::null);
  EXPECT_EQ(root->find("c"), nullptr);
}

TEST(Document, json_may_be_indented_with_tabs_and_keeps_its_lines) {
  const auto root = parse_document("{\n\t\"a\": [1,\n\t\t\"\\ud83d\\ude00\", null, false]\n}\n", "f");
  ASSERT_TRUE(root) << root.error().message;
  const TreeNode& list = root->find("a")->value;
  ASSERT_EQ(list.items.size(), 4U);
  EXPECT_EQ(list.items[0].text, "1");
  EXPECT_EQ(list.items[0].at.line, 2);
  EXPECT_EQ(list.items[1].text, "\xF0\x9F\x98\x80");
  EXPECT_TRUE(list.items[1].quoted);
  EXPECT_EQ(list.items[1].at.line, 3);
  EXPECT_EQ(list.items[2].kind, NodeKind::null);
  EXPECT_EQ(list.items[3].text, "false");
}

TEST(Document, text_in_braces_may_be_yaml) {
  const auto root = parse_document("{a: b, c: [d,],}", "f");
  ASSERT_TRUE(root) << root.error().message;
  EXPECT_EQ(root->find("a")->value.text, "b");
}

TEST(Document, invalid_json_gets_the_error_of_the_json_parser_and_invalid_yaml_that_of_the_yaml_parser) {
  EXPECT_THAT(error_of("{\"a\": 1,\n\"b\" 2}"), StartsWith("f:2: this is not valid JSON"));
  EXPECT_THAT(error_of("{a: 1,\nb: ]}"), HasSubstr("this is not valid YAML"));
  EXPECT_THAT(error_of("{\"a\": 1} x"), StartsWith("f:1: this is not valid JSON: extra data"));
}

TEST(Document, a_byte_order_mark_and_windows_line_ends_are_accepted) {
  const auto root = parse_document(
      "\xEF\xBB\xBF"
      "a: b\r\nc: d\r\n",
      "f");
  ASSERT_TRUE(root) << root.error().message;
  EXPECT_EQ(root->find("a")->value.text, "b");
  EXPECT_EQ(root->find("c")->value.text, "d");
  EXPECT_TRUE(parse_document("\xEF\xBB\xBF{\"a\": 1}", "f"));
}

TEST(Document, the_error_for_a_repeated_key_has_both_lines) {
  EXPECT_THAT(error_of("a: 1\nb: 2\na: 3\n"),
              HasSubstr("f:3: the key 'a' is here twice: first on line 1, again on line 3"));
  EXPECT_THAT(error_of("{\"a\": 1,\n\"a\": 2}"), HasSubstr("first on line 1, again on line 2"));
  EXPECT_THAT(error_of("x:\n  a: 1\n  'a': 1\n"), HasSubstr("first on line 2, again on line 3"));
  EXPECT_EQ(error_of("x: {a: 1}\ny: {a: 1}\n"), "accepted");
}

TEST(Document, a_tab_for_indentation_has_its_own_message) {
  constexpr auto kSentence = "a tab is used for indentation; YAML allows only spaces";
  EXPECT_EQ(error_of("version: 1\nroles:\n\tworker: 1\n"), std::string("f:3: ") + kSentence);
  EXPECT_EQ(error_of("a:\n  b:\n\tc: 2\n"), std::string("f:3: ") + kSentence);
  EXPECT_EQ(error_of("a:\n\t- x\n\t- y\n"), std::string("f:2: ") + kSentence);
  EXPECT_EQ(error_of("a: x\n  \tb: y\n"), std::string("f:2: ") + kSentence);
}

TEST(Document, a_quote_that_is_never_closed_is_an_error) {
  EXPECT_THAT(error_of("a: 1\ncommand: \"echo hi\n"), HasSubstr("this is not valid YAML"));
  EXPECT_THAT(error_of("command: 'echo hi\nname: x\n"), HasSubstr("this is not valid YAML"));
  EXPECT_EQ(error_of("a: |\n  two\n  lines\n"), "accepted");
  EXPECT_EQ(parse_document("a: |\n  x\n", "f")->find("a")->value.text, "x\n");
}

TEST(Document, tabs_that_are_not_indentation_are_not_reported) {
  EXPECT_EQ(error_of("a: |\n  x\n  \ty\n"), "accepted");
  EXPECT_EQ(error_of("a: [1,\n\t2]\n"), "accepted");
  EXPECT_THAT(error_of("a: |\n  \ty\nb: c\nd: e: f\n"), HasSubstr("f:4: this is not valid YAML"));
}

TEST(Document, bytes_that_are_not_text_are_refused_with_their_line) {
  EXPECT_THAT(error_of("a: b\nc: caf\xE9\n"), StartsWith("f:2: this is not UTF-8"));
  EXPECT_THAT(error_of(std::string_view("a: b\n\nc: \0d\n", 12)), StartsWith("f:3: this line contains a NUL"));
  EXPECT_THAT(error_of("a: b\x04\nc: d\n"), HasSubstr("0x04"));
  EXPECT_THAT(error_of(std::string_view("\xFF\xFE"
                                        "a\0",
                                        4)),
              HasSubstr("UTF-16"));
  EXPECT_THAT(error_of("a: \"x\\0y\"\n"), StartsWith("f:1: this text holds a NUL"));
  EXPECT_THAT(error_of("{\"a\":\n\"x\\u0000y\"}"), StartsWith("f:2: this text holds a NUL"));
}

TEST(Document, a_file_holds_one_document) {
  EXPECT_THAT(error_of("a: b\n---\nc: d\n"), StartsWith("f:2: a second document"));
  EXPECT_EQ(error_of("---\na: b\n...\n"), "accepted");
  // yaml-cpp would report an endless sequence of empty documents here.
  EXPECT_THAT(error_of(","), HasSubstr("a second document or value"));
  const auto empty = parse_document("# nothing\n", "f");
  ASSERT_TRUE(empty);
  EXPECT_EQ(empty->kind, NodeKind::null);
}

TEST(Document, keys_are_words) {
  EXPECT_THAT(error_of("a: b\n? [x]\n: y\n"), StartsWith("f:2: a list or mapping stands where a key must be"));
  EXPECT_THAT(error_of(": y\n"), HasSubstr("a key is missing"));
  EXPECT_THAT(error_of("a: &x {b: c}\nd: {<<: *x}\n"), StartsWith("f:2: merge keys"));
  EXPECT_THAT(error_of("a: !mine x\n"), StartsWith("f:1: the tag '!mine'"));
  EXPECT_EQ(error_of("a: !!str 5\n"), "accepted");
}

TEST(Document, an_alias_is_a_copy) {
  const auto root = parse_document("a: &x {b: [c]}\nd: *x\ne: &x f\ng: *x\n", "f");
  ASSERT_TRUE(root) << root.error().message;
  EXPECT_EQ(root->find("d")->value.find("b")->value.items.at(0).text, "c");
  EXPECT_EQ(root->find("g")->value.text, "f");
  EXPECT_THAT(error_of("a: &x [*x]\n"), HasSubstr("inside the value it names"));
  EXPECT_THAT(error_of("a: *unknown\n"), StartsWith("f:1: "));
}

TEST(Document, an_alias_bomb_is_refused_with_the_line_that_exceeds_the_limit) {
  EXPECT_THAT(error_of(bomb(10, "x")),
              StartsWith("f:6: with its aliases written out, the file holds more than 100000 values"));
  EXPECT_THAT(error_of(bomb(4, std::string(100'000, 'x'))), HasSubstr("more than 4 MiB of text"));
}

TEST(Document, aliases_cannot_exceed_the_limit_of_depth) {
  std::string text = "a0: &a0 [x]\n";
  for (int i = 1; i < 70; ++i) {
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) + "]\n";
  }
  EXPECT_THAT(error_of(text), StartsWith("f:64: with this alias written out, values are nested more than 64 deep"));
}

TEST(Document, nesting_is_limited_in_every_notation) {
  for (const std::string_view unit : {"[", "{", "- ", "? ", "[a,", "{a: ", "{? ", "[? "}) {
    EXPECT_THAT(error_of(repeat(unit, 100'000)), HasSubstr("values are nested more than 64 deep")) << unit;
  }
  EXPECT_THAT(error_of(repeat("[", kMaxTextBytes)), HasSubstr("values are nested more than 64 deep"));
  EXPECT_THAT(error_of("{\"a\": " + repeat("[", 1'000)), HasSubstr("values are nested more than 64 deep"));
  EXPECT_EQ(error_of(std::string(kMaxDepth, '[') + std::string(kMaxDepth, ']')), "accepted");
  EXPECT_NE(error_of(std::string(kMaxDepth + 1, '[') + std::string(kMaxDepth + 1, ']')), "accepted");
}

TEST(Document, the_size_is_limited) {
  EXPECT_THAT(error_of(repeat("#", kMaxTextBytes + 1)), HasSubstr("too long for a job file; the limit is 1 MiB"));
  EXPECT_EQ(error_of(repeat("#", kMaxTextBytes)), "accepted");
  EXPECT_THAT(error_of(repeat("- a\n", kMaxTextBytes)), StartsWith("f:100000: "));
}

TEST(Document, large_amounts_of_any_element_are_handled) {
  for (const std::string_view unit :
       {"'", "\"", "&a ", "*a ", "! ", "|\n", "%", "a\n", "\t", ",", "[ :", "\\", "...\n", "\r"}) {
    EXPECT_THAT(error_of(repeat(unit, 200'000)), testing::AnyOf("accepted", StartsWith("f:"))) << unit;
  }
}

}  // namespace
}  // namespace ydl::spec
