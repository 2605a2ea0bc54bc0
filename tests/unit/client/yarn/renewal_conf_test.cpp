#include "client/yarn/renewal_conf.hpp"

#include "yarn/writable_codec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::client {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

using Values = std::map<std::string, std::string>;

const Values kTwoPairs = {{"fs.defaultFS", "hdfs://west"},
                          {"hadoop.security.authentication", "kerberos"},
                          {"dfs.nameservices", "west,east,unused"},
                          {"dfs.ha.namenodes.west", "a,b"},
                          {"dfs.namenode.rpc-address.west.a", "w1:8020"},
                          {"dfs.namenode.rpc-address.west.b", "w2"},
                          {"dfs.client.failover.proxy.provider.west", "some.Provider"},
                          {"dfs.ha.namenodes.east", "nn1"},
                          {"dfs.namenode.rpc-address.east.nn1", "e1:9000"},
                          {"dfs.ha.namenodes.unused", "nn1"},
                          {"dfs.namenode.rpc-address.unused.nn1", "u1:9000"},
                          {"dfs.namenode.kerberos.principal", "nn/_HOST@A"},
                          {"fs.s3a.secret.key", "secret"}};

hconf::Config with(Values more) {
  more.insert(kTwoPairs.begin(), kTwoPairs.end());
  hconf::Config config([](const char*) { return std::nullopt; });
  std::vector<hconf::Property> properties;
  for (const auto& [key, value] : more) properties.push_back({key, value, false, "x-site.xml:1"});
  config.add(properties);
  return config;
}

std::vector<hconf::NameService> services(const hconf::Config& config, std::vector<std::string> named,
                                         const yarn::Credentials& own = {}) {
  spec::JobSpec job;
  job.name_nodes = std::move(named);
  return services_with_tokens(config, file_systems_of(config, job, "").value(), own);
}

Values settings(const Values& more, std::vector<std::string> named) {
  const auto config = with(more);
  return renewal_settings(config, services(config, std::move(named)));
}

TEST(RenewalConf, is_not_sent_where_the_resource_managers_own_configuration_is_enough) {
  EXPECT_THAT(settings({}, {}), IsEmpty()) << "the default file system, a pair";
  EXPECT_THAT(settings({}, {"hdfs://host:8020"}), IsEmpty()) << "a token with an address is renewed there";
  EXPECT_EQ(renewal_conf(with({}), services(with({}), {})).value(), "");
}

TEST(RenewalConf, has_what_renews_the_tokens_of_all_services_and_nothing_else) {
  EXPECT_THAT(
      settings({}, {"hdfs://east", "hdfs://host:8020"}),
      ElementsAre(
          Pair("dfs.client.failover.proxy.provider.east",
               "org.apache.hadoop.hdfs.server.namenode.ha.ConfiguredFailoverProxyProvider"),
          Pair("dfs.client.failover.proxy.provider.west", "some.Provider"), Pair("dfs.ha.namenodes.east", "nn1"),
          Pair("dfs.ha.namenodes.west", "a,b"), Pair("dfs.namenode.kerberos.principal", "nn/_HOST@A"),
          Pair("dfs.namenode.rpc-address.east.nn1", "e1:9000"), Pair("dfs.namenode.rpc-address.west.a", "w1:8020"),
          Pair("dfs.namenode.rpc-address.west.b", "w2:8020"), Pair("dfs.nameservices", "west,east"),
          Pair("hadoop.rpc.protection", "authentication"), Pair("hadoop.security.authentication", "kerberos")));
}

TEST(RenewalConf, principals_and_protections_that_differ_are_all_allowed) {
  const auto found = settings({{"dfs.namenode.kerberos.principal.east", "hdfs/e1@B"},
                               {"hadoop.rpc.protection", "authentication"},
                               {"hadoop.rpc.protection.east", "privacy"}},
                              {"hdfs://east"});
  EXPECT_EQ(found.at("dfs.namenode.kerberos.principal"), "nn/_HOST@A");
  EXPECT_EQ(found.at("dfs.namenode.kerberos.principal.pattern"), "{nn/*@A,hdfs/e1@B}");
  EXPECT_EQ(found.at("hadoop.rpc.protection"), "authentication,privacy");
}

TEST(RenewalConf, a_pattern_for_all_services_is_passed_on) {
  const auto found = settings({{"dfs.namenode.kerberos.principal.pattern", "nn/*@*"}}, {"hdfs://east"});
  EXPECT_EQ(found.at("dfs.namenode.kerberos.principal.pattern"), "nn/*@*");
}

TEST(RenewalConf, covers_pairs_of_the_clients_own_tokens) {
  const auto config = with({});
  yarn::Credentials own;
  own.add({"1", "pw", "HDFS_DELEGATION_TOKEN", "ha-hdfs:west"});
  own.add({"2", "pw", "HDFS_DELEGATION_TOKEN", "ha-hdfs:east"});
  own.add({"3", "pw", "HDFS_DELEGATION_TOKEN", "ha-hdfs:unknown"});
  own.add({"4", "pw", "HDFS_DELEGATION_TOKEN", "10.0.0.1:8020"});
  EXPECT_EQ(renewal_settings(config, services(config, {}, own)).at("dfs.nameservices"), "west,east");
}

TEST(RenewalConf, one_that_is_too_large_is_refused_with_the_remedy) {
  const auto config = with({{"yarn.resourcemanager.delegation-token.max-conf-size-bytes", "500"}});
  const auto refused = renewal_conf(config, services(config, {"hdfs://east"}));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, core::Errc::usage);
  EXPECT_THAT(refused.error().message,
              AllOf(HasSubstr("more than the 500 bytes of yarn.resourcemanager.delegation-token.max-conf-size-bytes"),
                    HasSubstr("name fewer file systems")));
  const auto bytes = renewal_conf(with({}), services(with({}), {"hdfs://east"}));
  ASSERT_TRUE(bytes);
  EXPECT_EQ(*bytes, yarn::encode_configuration(settings({}, {"hdfs://east"})));
}

}  // namespace
}  // namespace ydl::client
