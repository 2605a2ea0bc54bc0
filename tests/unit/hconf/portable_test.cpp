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

TEST(PortableConfig, has_the_keys_that_are_set_with_variables_resolved) {
  const auto config = with({{"fs.defaultFS", "hdfs://${env.SITE}", false, "core-site.xml:1"},
                            {"dfs.replication", "2", true, "hdfs-site.xml:1"},
                            {"mapreduce.job.maps", "7", false, "core-site.xml:2"}});
  EXPECT_THAT(to_map(config), ElementsAre(Pair("dfs.replication", "2"), Pair("fs.defaultFS", "hdfs://east")));
}

TEST(PortableConfig, is_read_back_as_a_configuration_with_its_source) {
  const auto config =
      from_map({{"fs.defaultFS", "hdfs://east"}, {"dfs.replication", "two"}}, "the job's configuration");
  EXPECT_EQ(config.get("fs.defaultFS"), "hdfs://east");
  EXPECT_TRUE(config.is_set("fs.defaultFS"));
  EXPECT_FALSE(config.is_set("dfs.blocksize"));
  const auto replication = config.get_int("dfs.replication");
  ASSERT_FALSE(replication);
  EXPECT_THAT(replication.error().message, HasSubstr("the job's configuration: dfs.replication is 'two'"));
}

// Site files of real clusters contain such keys in addition to those that ydl reads.
TEST(PortableConfig, contains_no_passwords_and_no_unknown_keys) {
  const auto config = with({{"fs.s3a.access.key", "AKIA", false, "core-site.xml:1"},
                            {"fs.s3a.secret.key", "hunter2", false, "core-site.xml:2"},
                            {"fs.azure.account.key.x.blob.core.windows.net", "hunter2", false, "core-site.xml:3"},
                            {"hadoop.security.credential.provider.path", "jceks://file/x", false, "core-site.xml:4"},
                            {"hadoop.security.group.mapping.ldap.bind.password", "hunter2", false, "core-site.xml:5"},
                            {"dfs.namenode.keytab.file", "/etc/nn.keytab", false, "hdfs-site.xml:1"},
                            {"yarn.resourcemanager.zk-auth", "digest:hunter2", false, "yarn-site.xml:1"},
                            {"dfs.nameservices", "east", false, "hdfs-site.xml:2"}});
  EXPECT_THAT(to_map(config), ElementsAre(Pair("dfs.nameservices", "east")));
}

TEST(PortableConfig, has_the_keys_of_each_name_service_and_resource_manager) {
  const std::map<std::string, std::string> values{{"dfs.client.failover.proxy.provider.east", "Configured"},
                                                  {"dfs.ha.namenodes.east", "nn1,nn2"},
                                                  {"dfs.namenode.rpc-address.east.nn1", "a:8020"},
                                                  {"dfs.namenode.rpc-address.west", "b:8020"},
                                                  {"yarn.resourcemanager.address.rm1", "c:8032"},
                                                  {"yarn.resourcemanager.webapp.https.address.rm1", "c:8090"}};
  EXPECT_EQ(to_map(from_map(values, "here")), values);
}

TEST(PortableConfig, a_variable_that_cannot_be_resolved_is_kept) {
  const std::map<std::string, std::string> values{{"dfs.nameservices", "${no.such.key}"}, {"fs.defaultFS", "hdfs://a"}};
  EXPECT_EQ(to_map(from_map(values, "here")), values);
}

}  // namespace
}  // namespace ydl::hconf
