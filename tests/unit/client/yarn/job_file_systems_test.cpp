#include "client/yarn/job_file_systems.hpp"

#include "client/yarn/token_names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Key;
using ::testing::Pair;

hconf::Config with(std::map<std::string, std::string> values) {
  hconf::Config config([](const char*) { return std::nullopt; });
  std::vector<hconf::Property> properties;
  for (auto& [key, value] : values) properties.push_back({key, value, false, "x-site.xml:1"});
  config.add(properties);
  return config;
}

const hconf::Config kConfig = with({{"fs.defaultFS", "hdfs://nn1:8020"},
                                    {"dfs.nameservices", "east"},
                                    {"dfs.ha.namenodes.east", "a,b"},
                                    {"dfs.namenode.rpc-address.east.a", "a:8020"},
                                    {"dfs.namenode.rpc-address.east.b", "b:8020"},
                                    {"dfs.namenode.kerberos.principal", "nn/_HOST@A"},
                                    {"yarn.resourcemanager.principal", "rm/_HOST@A"},
                                    {"fs.viewfs.mounttable.all.link./a", "hdfs://nn1/a"},
                                    {"fs.viewfs.mounttable.all.link./b", "hdfs://nn3:9000/b"}});

std::vector<std::pair<std::string, std::string>> systems(const spec::JobSpec& job, const std::string& results = "") {
  const auto found = file_systems_of(kConfig, job, results);
  if (!found) return {{"error", found.error().message}};
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const auto& system : *found) pairs.emplace_back(system.service.name, system.named_by);
  return pairs;
}

TEST(JobFileSystems, everything_that_a_job_names_counts_once_and_the_default_is_first) {
  spec::JobSpec job;
  EXPECT_THAT(systems(job), ElementsAre(Pair("nn1:8020", "fs.defaultFS")));
  job.inputs = {{"hdfs:///data", ""}, {"hdfs://nn2/data", ""}, {"hdfs://nn2:8020/more", ""}};
  job.name_nodes = {"hdfs://east", "viewfs://all"};
  EXPECT_THAT(systems(job, "hdfs://nn4/out"),
              ElementsAre(Pair("nn1:8020", "fs.defaultFS"), Pair("nn2:8020", "the input hdfs://nn2/data"),
                          Pair("nn4:8020", "the results' folder hdfs://nn4/out"),
                          Pair("east", "the name node hdfs://east"), Pair("nn3:9000", "the name node viewfs://all")));
  job.name_nodes = {"viewfs://nowhere"};
  EXPECT_THAT(systems(job), ElementsAre(Pair("error", HasSubstr("the name node viewfs://nowhere: viewfs://nowhere has "
                                                                "no mount table"))));
}

TEST(JobFileSystems, tokens_of_a_file_are_found_by_either_name_and_those_of_yarn_stay) {
  spec::JobSpec job;
  job.name_nodes = {"hdfs://nn2"};
  const auto named = *file_systems_of(kConfig, job, "");
  const std::vector<std::vector<std::string>> names{{"10.0.0.1:8020", "nn1:8020"}, {"10.0.0.2:8020", "nn2:8020"}};
  yarn::Credentials own;
  own.add({"1", "pw", "HDFS_DELEGATION_TOKEN", "10.0.0.1:8020"});
  own.add({"3", "pw", "RM_DELEGATION_TOKEN", "10.0.0.1:8032"});
  own.add({"4", "pw", "HIVE_DELEGATION_TOKEN", "hive"});
  const auto missing = tokens_for_job(own, named, names);
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, HasSubstr("HADOOP_TOKEN_FILE_LOCATION has no token for hdfs://nn2:8020"));
  own.add({"2", "pw", "HDFS_DELEGATION_TOKEN", "nn2:8020"});
  const auto tokens = tokens_for_job(own, named, names);
  ASSERT_TRUE(tokens) << tokens.error().message;
  EXPECT_THAT(tokens->tokens, ElementsAre(Key("hive"), Key("nn1:8020"), Key("nn2:8020")));
  EXPECT_EQ(tokens->tokens.at("nn1:8020").service, "10.0.0.1:8020");
  EXPECT_EQ(tokens->tokens.at("nn2:8020").service, "10.0.0.2:8020") << "as the ResourceManager and Java look for it";
}

TEST(TokenNames, a_token_that_has_one_name_is_found_by_all) {
  yarn::Credentials credentials;
  credentials.add({"1", "pw", "HDFS_DELEGATION_TOKEN", "10.0.0.1:8020"});
  credentials.add({"2", "pw", "HDFS_DELEGATION_TOKEN", "10.0.0.2:8020"});
  add_names(credentials, {"10.0.0.1:8020", "nn1:8020"});
  add_names(credentials, {"10.0.0.3:8020", "nn3:8020"});
  EXPECT_THAT(credentials.tokens, ElementsAre(Key("10.0.0.1:8020"), Key("10.0.0.2:8020"), Key("nn1:8020")));
  EXPECT_EQ(credentials.tokens.at("nn1:8020").identifier, "1");
  EXPECT_EQ(credentials.tokens.at("nn1:8020").service, "nn1:8020");
}

}  // namespace
}  // namespace ydl::client
