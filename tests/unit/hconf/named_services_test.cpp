#include "hconf/named_services.hpp"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::hconf {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Config with(std::map<std::string, std::string> values) {
  Config config([](const char*) { return std::nullopt; });
  std::vector<Property> properties;
  for (auto& [key, value] : values) properties.push_back({key, value, false, "x-site.xml:1"});
  config.add(properties);
  return config;
}

const Config kView = with({{"fs.defaultFS", "viewfs://table/"},
                           {"fs.viewfs.mounttable.table.link./user", "hdfs://east/home/"},
                           {"fs.viewfs.mounttable.table.link./data/west", "hdfs://nn.west:9000/data"},
                           {"fs.viewfs.mounttable.table.link./tmp", "hdfs://east/tmp"},
                           {"fs.viewfs.mounttable.table.link./logs", "s3a://logs"},
                           {"fs.viewfs.mounttable.table.linkFallback", "hdfs://rest"},
                           {"fs.viewfs.mounttable.other.link./x", "hdfs://x"},
                           {"dfs.nameservices", "east"},
                           {"dfs.ha.namenodes.east", "a"},
                           {"dfs.namenode.rpc-address.east.a", "nn.east"}});

std::vector<std::string> names(const core::Result<std::vector<NameService>>& services) {
  if (!services) return {services.error().message};
  std::vector<std::string> names;
  for (const auto& service : *services) names.push_back(service.name);
  std::ranges::sort(names);
  return names;
}

TEST(NamedServices, an_hdfs_url_is_one_name_service) {
  EXPECT_THAT(names(services_behind(kView, "hdfs://east/some/path")), ElementsAre("east"));
  EXPECT_THAT(names(services_behind(kView, "hdfs://nn2:8021")), ElementsAre("nn2:8021"));
  EXPECT_THAT(names(services_behind(with({{"fs.defaultFS", "hdfs://nn1"}}), "hdfs:///path")), ElementsAre("nn1:8020"));
  EXPECT_THAT(names(services_behind(kView, "s3a://bucket")),
              ElementsAre(HasSubstr("'s3a://bucket' is not an HDFS address")));
}

TEST(NamedServices, a_view_is_each_hdfs_that_it_mounts_once) {
  EXPECT_THAT(names(services_behind(kView, "viewfs://table")), ElementsAre("east", "nn.west:9000", "rest:8020"));
  EXPECT_THAT(names(services_behind(kView, "viewfs://nowhere")),
              ElementsAre("viewfs://nowhere has no mount table: the configuration has no key that starts with "
                          "fs.viewfs.mounttable.nowhere.link"));
}

TEST(NamedServices, a_path_of_a_view_is_resolved_by_its_longest_link) {
  const auto view = ViewFs::of(kView, "viewfs://table/");
  ASSERT_TRUE(view);
  EXPECT_EQ(view->resolve("/user/alice"), "hdfs://east/home/alice");
  EXPECT_EQ(view->resolve("/data/west"), "hdfs://nn.west:9000/data");
  EXPECT_EQ(view->resolve("/data/western"), "hdfs://rest/data/western");
  EXPECT_THAT(ViewFs::of(kView, "viewfs://other")->resolve("/y").error().message, HasSubstr("has no link for /y"));
}

TEST(NamedServices, the_default_of_a_view_is_the_hdfs_of_the_home_directory) {
  const auto found = with_hdfs_default(kView, "/user/alice");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->config.get_trimmed("fs.defaultFS"), "hdfs://east");
  EXPECT_EQ(found->home, "/home/alice");
  const auto plain = with_hdfs_default(with({{"fs.defaultFS", "hdfs://nn1"}}), "/user/alice");
  EXPECT_EQ(plain->config.get_trimmed("fs.defaultFS"), "hdfs://nn1");
  EXPECT_EQ(plain->home, "/user/alice");
}

TEST(NamedServices, a_name_service_has_its_own_principals_and_protections) {
  const auto config = with({{"dfs.namenode.kerberos.principal", "nn/_HOST@A"},
                            {"dfs.namenode.kerberos.principal.pattern", "nn/*@A"},
                            {"dfs.namenode.kerberos.principal.east", "hdfs/_HOST@B"},
                            {"hadoop.rpc.protection", "authentication"},
                            {"hadoop.rpc.protection.east", "privacy"},
                            {"dfs.data.transfer.protection.nn2:8020", "integrity"}});
  const auto east = for_service(config, {.name = "east", .is_logical = true, .servers = {}, .token_service = {}});
  EXPECT_EQ(east.get_trimmed("dfs.namenode.kerberos.principal"), "hdfs/_HOST@B");
  EXPECT_EQ(east.get_trimmed("dfs.namenode.kerberos.principal.pattern"), "")
      << "the pattern for all services must not hide this service's principal";
  EXPECT_EQ(east.get_trimmed("hadoop.rpc.protection"), "privacy");
  const auto other = for_service(config, {.name = "nn2:8020", .is_logical = false, .servers = {}, .token_service = {}});
  EXPECT_EQ(other.get_trimmed("dfs.namenode.kerberos.principal"), "nn/_HOST@A");
  EXPECT_EQ(other.get_trimmed("dfs.namenode.kerberos.principal.pattern"), "nn/*@A");
  EXPECT_EQ(other.get_trimmed("dfs.data.transfer.protection"), "integrity");
}

}  // namespace
}  // namespace ydl::hconf
