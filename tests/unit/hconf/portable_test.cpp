#include "hconf/portable.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::hconf {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

Config with(std::vector<Property> properties) {
  Config config([](const char* name) {
    return std::string_view(name) == "SITE" ? std::optional<std::string>("east") : std::nullopt;
  });
  config.add(properties);
  return config;
}

TEST(PortableConfig, holds_what_is_set_with_its_variables_resolved) {
  const auto config = with({{"fs.defaultFS", "hdfs://${env.SITE}", false, "core-site.xml:1"},
                            {"dfs.replication", "2", true, "hdfs-site.xml:1"},
                            {"mapreduce.job.maps", "7", false, "core-site.xml:2"}});
  EXPECT_THAT(to_map(config), ElementsAre(Pair("dfs.replication", "2"), Pair("fs.defaultFS", "hdfs://east")));
}

TEST(PortableConfig, comes_back_as_a_configuration_that_says_where_it_is_from) {
  const auto config =
      from_map({{"fs.defaultFS", "hdfs://east"}, {"dfs.replication", "two"}}, "the job's configuration");
  EXPECT_EQ(config.get("fs.defaultFS"), "hdfs://east");
  EXPECT_TRUE(config.is_set("fs.defaultFS"));
  EXPECT_FALSE(config.is_set("dfs.blocksize"));
  const auto replication = config.get_int("dfs.replication");
  ASSERT_FALSE(replication);
  EXPECT_THAT(replication.error().message, HasSubstr("the job's configuration: dfs.replication is 'two'"));
}

TEST(PortableConfig, survives_the_trip) {
  const std::map<std::string, std::string> values{{"fs.defaultFS", "hdfs://a"}, {"hadoop.x", "${no.such.key}"}};
  EXPECT_EQ(to_map(from_map(values, "here")), values);
}

}  // namespace
}  // namespace ydl::hconf
