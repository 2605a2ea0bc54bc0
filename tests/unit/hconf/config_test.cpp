#include "hconf/config.hpp"

#include "core/files.hpp"
#include "hconf/values.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

namespace ydl::hconf {
namespace {

using core::Millis;
using ::testing::HasSubstr;

core::Getenv environment(std::map<std::string, std::string> values) {
  return [values = std::move(values)](const char* name) -> std::optional<std::string> {
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  };
}

Config with(std::vector<Property> properties, std::map<std::string, std::string> env = {}) {
  env.emplace("USER", "alice");
  Config config(environment(std::move(env)));
  config.add(properties);
  return config;
}

Property property(std::string name, std::string value) {
  return {std::move(name), std::move(value), false, "x-site.xml:1"};
}

TEST(Config, a_later_value_overrides_an_earlier_one_that_is_not_final) {
  auto config = with({{"a", "1", false, "core-site.xml:1"}, {"b", "1", true, "core-site.xml:2"}});
  config.add(std::vector<Property>{{"a", "2", false, "hdfs-site.xml:1"}, {"b", "2", true, "hdfs-site.xml:2"}});
  EXPECT_EQ(config.get("a"), "2");
  EXPECT_EQ(config.get("b"), "1");
  EXPECT_EQ(config.source_of("a"), "hdfs-site.xml:1");
  EXPECT_EQ(config.source_of("b"), "core-site.xml:2");
  config.set("b", "3");
  EXPECT_EQ(config.get("b"), "3");
}

TEST(Config, defaults_have_values_but_are_not_set) {
  const auto config = with({});
  EXPECT_EQ(config.get("fs.defaultFS"), "file:///");
  EXPECT_EQ(config.get("yarn.resourcemanager.address"), "0.0.0.0:8032");
  EXPECT_EQ(config.get("hadoop.tmp.dir"), "/tmp/hadoop-alice");
  EXPECT_EQ(config.get("no.such.key"), std::nullopt);
  EXPECT_FALSE(config.is_set("fs.defaultFS"));
  EXPECT_EQ(config.source_of("fs.defaultFS"), "the defaults");
}

TEST(Config, deprecated_names_refer_to_the_current_keys) {
  const auto config = with({property("fs.default.name", "hdfs://nn")});
  EXPECT_EQ(config.get("fs.defaultFS"), "hdfs://nn");
  EXPECT_EQ(config.get("fs.default.name"), "hdfs://nn");
  EXPECT_TRUE(config.is_set("fs.defaultFS"));
}

TEST(Config, variables_refer_to_other_keys_and_the_environment) {
  const auto config =
      with({property("a", "${b}/${env.HOST}/${user.name}"), property("b", "<${c}>"), property("c", "x")},
           {{"HOST", "h1"}, {"EMPTY", ""}});
  EXPECT_EQ(config.get("a"), "<x>/h1/alice");
  auto more = config;
  more.set("d", "${env.NONE-dash} ${env.EMPTY-dash} ${env.EMPTY:-colon} ${env.NONE:-colon} ${env.HOST:-no}");
  EXPECT_EQ(more.get("d"), "dash  colon colon h1");
  more.set("e", "${${f}}");
  more.set("f", "c");
  EXPECT_EQ(more.get("e"), "x");
}

TEST(Config, variables_that_cannot_be_resolved_are_left_unchanged) {
  const auto config = with({property("a", "1 ${no.such} 2"), property("b", "${b}x"), property("c", "${d}"),
                            property("d", "${c}"), property("e", "${not a name} ${}"), property("f", "${env.NONE}")});
  EXPECT_EQ(config.get("a"), "1 ${no.such} 2");
  EXPECT_EQ(config.get("b"), "${b}x");
  EXPECT_EQ(config.get("c"), "${d}");
  EXPECT_EQ(config.get("e"), "${not a name} ${}");
  EXPECT_EQ(config.get("f"), "${env.NONE}");
}

TEST(Config, one_variable_may_occur_twice) {
  EXPECT_EQ(with({property("a", "${b} ${b}"), property("b", "x")}).get("a"), "x x");
}

TEST(Config, expansion_cannot_grow_a_value_without_limit) {
  std::vector<Property> properties;
  for (int i = 0; i < 40; ++i) {
    const auto next = "${k" + std::to_string(i + 1) + "}";
    properties.push_back(property("k" + std::to_string(i), next + next));
  }
  EXPECT_LT(with(properties).get("k0")->size(), 1000U);
}

TEST(Config, lists_and_booleans) {
  const auto config = with({property("l", " a, b ,,c "), property("t", " TRUE "), property("f", "false"),
                            property("dfs.client.failover.random.order", "maybe")});
  EXPECT_EQ(config.get_list("l"), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_TRUE(config.get_list("none").empty());
  EXPECT_TRUE(config.get_bool("t"));
  EXPECT_FALSE(config.get_bool("f"));
  EXPECT_FALSE(config.get_bool("none"));
  EXPECT_TRUE(config.get_bool("dfs.client.failover.random.order")) << "an invalid value means the default";
}

TEST(Config, numbers_sizes_and_times) {
  const auto config = with({property("dfs.blocksize", "64m"), property("i", " 12 "),
                            property("ipc.ping.interval", "2m"), property("bad", "12x")});
  EXPECT_EQ(config.get_bytes("dfs.blocksize"), 64 << 20);
  EXPECT_EQ(config.get_bytes("dfs.client-write-packet-size"), 65536);
  EXPECT_EQ(config.get_int("i"), 12);
  EXPECT_EQ(config.get_time("ipc.ping.interval", Millis(1)), Millis(120'000));
  EXPECT_EQ(config.get_time("ipc.client.connect.timeout", Millis(1)), Millis(20'000));
  const auto bad = config.get_int("bad");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().message, "x-site.xml:1: bad is '12x'; it must be a whole number");
}

TEST(Values, sizes) {
  EXPECT_EQ(parse_size("1k"), 1024);
  EXPECT_EQ(parse_size("2G"), std::int64_t{2} << 30);
  EXPECT_EQ(parse_size("-1"), -1);
  EXPECT_EQ(parse_size("7e"), std::int64_t{7} << 60);
  for (const auto* text : {"", "k", "1kb", "8e", "1.5g", "x"}) EXPECT_EQ(parse_size(text), std::nullopt) << text;
}

TEST(Values, times) {
  EXPECT_EQ(parse_time("30", Millis(1000)), Millis(30'000));
  EXPECT_EQ(parse_time("30s", Millis(1)), Millis(30'000));
  EXPECT_EQ(parse_time("500 MS", Millis(1000)), Millis(500));
  EXPECT_EQ(parse_time("1d", Millis(1)), Millis(86'400'000));
  EXPECT_EQ(parse_time("5000us", Millis(1)), Millis(5));
  EXPECT_EQ(parse_time("-1", Millis(1)), Millis(-1));
  for (const auto* text : {"", "s", "1y", "99999999999999999d", "1.5s"}) {
    EXPECT_EQ(parse_time(text, Millis(1)), std::nullopt) << text;
  }
}

TEST(Values, whole_numbers) {
  EXPECT_EQ(parse_whole("0x10"), 16);
  EXPECT_EQ(parse_whole("-0x10"), -16);
  EXPECT_EQ(parse_whole("-5"), -5);
  for (const auto* text : {"", "0x", "1 2", "9223372036854775808", "--1"}) EXPECT_EQ(parse_whole(text), std::nullopt);
}

TEST(KnownKeys, each_key_is_in_the_documentation) {
  const auto text = core::read_file(YDL_DOCS_DIR "/hadoop-config.md");
  ASSERT_TRUE(text) << text.error().message;
  for (const auto& key : known_keys()) {
    EXPECT_THAT(*text,
                HasSubstr("| `" + std::string(key.name) + "` | " +
                          (key.fallback.empty() ? std::string() : "`" + std::string(key.fallback) + "` ") + "|"));
  }
}

}  // namespace
}  // namespace ydl::hconf
