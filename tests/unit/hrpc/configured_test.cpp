#include "hrpc/configured.hpp"

#include "hrpc/login.hpp"

#include <gtest/gtest.h>

namespace ydl::hrpc {
namespace {

using core::Millis;

hconf::Config with(std::initializer_list<std::pair<const char*, const char*>> pairs) {
  hconf::Config config([](const char*) { return std::nullopt; });
  std::vector<hconf::Property> properties;
  for (const auto& [name, value] : pairs) properties.push_back({name, value, false, "x-site.xml:1"});
  config.add(properties);
  return config;
}

const hconf::NameService kPair{
    .name = "ns", .is_logical = true, .servers = {{"h1", 8020}, {"h2", 8020}}, .token_service = "ha-hdfs:ns"};
const hconf::NameService kSingle{
    .name = "h1:8020", .is_logical = false, .servers = {{"h1", 8020}}, .token_service = {}};

TEST(Configured, defaults_for_a_name_node) {
  const auto options = name_node_options(with({}), kPair, {.user = "alice"});
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_EQ(options->servers, kPair.servers);
  EXPECT_TRUE(options->random_first);
  EXPECT_EQ(options->identity.user, "alice");
  EXPECT_EQ(options->identity.security, Security::simple);
  EXPECT_EQ(options->identity.token, std::nullopt);
  EXPECT_EQ(options->identity.protections, std::vector{Protection::authentication});
  EXPECT_EQ(options->retry.max_failovers, 15);
  EXPECT_EQ(options->retry.max_retries, 10);
  EXPECT_EQ(options->retry.backoff_base, Millis(500));
  EXPECT_EQ(options->call_timeout, Millis(120'000));
  EXPECT_EQ(options->max_response, 128U << 20U);
}

TEST(Configured, options_of_a_secure_cluster) {
  const auto options = name_node_options(with({{"hadoop.security.authentication", "kerberos"},
                                               {"hadoop.rpc.protection", "privacy, integrity"},
                                               {"dfs.namenode.kerberos.principal", "nn/_HOST@EXAMPLE.ORG"},
                                               {"ipc.client.fallback-to-simple-auth-allowed", "true"},
                                               {"ipc.client.rpc-timeout.ms", "0"}}),
                                         kSingle, {.user = "alice"});
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_EQ(options->identity.security, Security::kerberos);
  EXPECT_EQ(options->identity.protections, (std::vector{Protection::privacy, Protection::integrity}));
  EXPECT_EQ(options->identity.server_principal, "nn/_HOST@EXAMPLE.ORG");
  EXPECT_TRUE(options->identity.fallback_to_simple);
  EXPECT_EQ(options->call_timeout, std::chrono::hours(1)) << "every wait has a limit";
}

TEST(Configured, a_pattern_is_used_only_if_a_site_file_sets_it) {
  const auto plain =
      name_node_options(with({{"dfs.namenode.kerberos.principal", "nn/_HOST@R"}}), kSingle, {.user = "a"});
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->identity.principal_pattern, "") << "the * of hdfs-default.xml would accept any service";
  EXPECT_EQ(plain->identity.principal_key, "dfs.namenode.kerberos.principal");
  const auto with_pattern =
      name_node_options(with({{"dfs.namenode.kerberos.principal.pattern", "nn/*@R"}}), kSingle, {.user = "a"});
  ASSERT_TRUE(with_pattern);
  EXPECT_EQ(with_pattern->identity.principal_pattern, "nn/*@R");
}

TEST(Configured, an_error_names_file_key_and_value) {
  for (const auto& [key, value, message] :
       {std::tuple{"hadoop.rpc.protection", "much",
                   "x-site.xml:1: hadoop.rpc.protection has 'much'; it may be authentication, integrity or privacy"},
        std::tuple{"hadoop.security.authentication", "magic",
                   "x-site.xml:1: hadoop.security.authentication has 'magic'; it may be simple or kerberos"},
        std::tuple{"ipc.ping.interval", "often",
                   "x-site.xml:1: ipc.ping.interval is 'often'; it must be a time such as 30s or 500ms"}}) {
    const auto options = name_node_options(with({{key, value}}), kSingle, {.user = "alice"});
    ASSERT_FALSE(options);
    EXPECT_EQ(options.error().message, message);
  }
}

TEST(Configured, the_wait_for_resource_managers_is_configurable) {
  const auto options = resource_manager_options(with({}), {{"h1", 8032}}, "RM_DELEGATION_TOKEN", {.user = "alice"});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->retry.max_retries, 30);
  EXPECT_EQ(options->retry.max_failovers, 30);
  EXPECT_EQ(options->retry.same_server_pause, Millis(30'000));
  const auto quick = resource_manager_options(with({{"yarn.client.failover-max-attempts", "2"},
                                                    {"yarn.client.failover-sleep-base-ms", "100"},
                                                    {"yarn.client.failover-sleep-max-ms", "200"}}),
                                              {{"h1", 8032}, {"h2", 8032}}, "RM_DELEGATION_TOKEN", {.user = "a"});
  EXPECT_EQ(quick->retry.max_failovers, 2);
  EXPECT_EQ(quick->retry.backoff_base, Millis(100));
  EXPECT_EQ(quick->retry.backoff_max, Millis(200));
}

TEST(Configured, a_token_is_chosen_by_kind_and_service) {
  const std::vector<Token> tokens = {{"1", "p", "HDFS_DELEGATION_TOKEN", "ha-hdfs:ns"},
                                     {"2", "p", "HDFS_DELEGATION_TOKEN", "h1:8020"},
                                     {"3", "p", "YARN_AM_RM_TOKEN", ""}};
  EXPECT_EQ(name_node_options(with({}), kPair, {.user = "a", .tokens = tokens})->identity.token->identifier, "1");
  EXPECT_EQ(name_node_options(with({}), kSingle, {.user = "a", .tokens = tokens})->identity.token->identifier, "2");
  EXPECT_EQ(select_token(tokens, "HDFS_DELEGATION_TOKEN", "other:8020"), std::nullopt)
      << "there are two, and neither is for this service";
  EXPECT_EQ(select_token(tokens, "YARN_AM_RM_TOKEN", "rm:8030")->identifier, "3") << "its service is empty";
  EXPECT_EQ(select_token(tokens, "NMToken", "x"), std::nullopt);
}

TEST(Configured, tokens_with_the_same_identifier_count_as_one) {
  const std::vector<Token> tokens = {{"1", "p", "HDFS_DELEGATION_TOKEN", "10.0.0.1:8020"},
                                     {"1", "p", "HDFS_DELEGATION_TOKEN", "nn.example.org:8020"}};
  EXPECT_EQ(select_token(tokens, "HDFS_DELEGATION_TOKEN", "nn.example.org:8020")->service, "nn.example.org:8020");
  EXPECT_EQ(select_token(tokens, "HDFS_DELEGATION_TOKEN", "nn:8020")->identifier, "1");
}

TEST(Configured, a_node_manager_gets_the_given_token) {
  const auto options =
      node_manager_options(with({}), {"h1", 45454}, {"id", "p", "NMToken", "h1:45454"}, {.user = "alice"});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->identity.token->kind, "NMToken");
  EXPECT_EQ(options->retry.max_retries, 18);
  EXPECT_EQ(options->retry.patience, core::Millis(180'000));
}

TEST(Configured, the_short_name_of_a_principal_is_its_first_part) {
  EXPECT_EQ(short_name("alice@EXAMPLE.ORG"), "alice");
  EXPECT_EQ(short_name("alice/admin@EXAMPLE.ORG"), "alice");
  EXPECT_EQ(short_name("alice"), "alice");
}

TEST(Configured, without_kerberos_the_user_is_taken_from_the_environment) {
  EXPECT_EQ(login_name(with({}), [](const char*) { return "bob"; }), "bob");
}

}  // namespace
}  // namespace ydl::hrpc
