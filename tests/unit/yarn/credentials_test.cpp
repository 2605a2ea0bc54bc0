#include "yarn/credentials.hpp"

#include "core/files.hpp"
#include "support/hex.hpp"
#include "yarn/token_identifiers.hpp"
#include "yarn/writable_codec.hpp"

#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::yarn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Key;
using ydl::testing::from_hex;

std::string captured(const std::string& name) {
  return core::read_file(std::string(YDL_WIRE_DIR) + "/yarn/" + name).value();
}

struct Number {
  std::int64_t value;
  std::string_view hex;
};
// Values from Hadoop's WritableUtils.
constexpr auto kNumbers = std::to_array<Number>({
    {0, "00"},
    {127, "7f"},
    {-112, "90"},
    {128, "8f80"},
    {200, "8fc8"},
    {255, "8fff"},
    {256, "8e0100"},
    {65536, "8d010000"},
    {-113, "8770"},
    {-129, "8780"},
    {1700000000000, "8a018bcfe56800"},
});

TEST(WritableCodec, numbers_are_written_and_read_as_hadoop_does) {
  for (const auto& [value, hex] : kNumbers) {
    const std::string bytes = from_hex(hex);
    EXPECT_EQ(encode_vlong(value), bytes) << value;
    std::string_view rest = bytes;
    EXPECT_EQ(take_vlong(rest).value(), value);
    EXPECT_TRUE(rest.empty());
  }
}

TEST(WritableCodec, a_configuration_is_written_as_hadoop_does) {
  EXPECT_EQ(encode_configuration({}), from_hex("00"));
  EXPECT_EQ(encode_configuration({{"a", "bc"}, {"d", ""}}), from_hex("020161026263ffffffff016400ffffffff"));
  const auto longer = encode_configuration({{"k", std::string(200, 'x')}});
  EXPECT_TRUE(longer.starts_with(from_hex("01016b8fc8"))) << "the length of a value is a vlong";
}

TEST(WritableCodec, the_largest_numbers_survive_encoding) {
  for (const auto value : {INT64_MAX, INT64_MIN, INT64_MIN + 1, std::int64_t{-1} << 32}) {
    const std::string bytes = encode_vlong(value);
    std::string_view rest = bytes;
    EXPECT_EQ(take_vlong(rest).value(), value);
  }
}

TEST(WritableCodec, truncated_values_and_lengths_beyond_the_end_are_errors) {
  for (const auto* hex : {"", "8f", "8a018b", "05616263", "ff", "8d7fffffff"}) {
    const std::string bytes = from_hex(hex);
    std::string_view rest = bytes;
    EXPECT_FALSE(take_sized(rest)) << hex;
  }
}

TEST(Credentials, of_an_application_master_are_read_as_the_node_manager_wrote_them) {
  const auto credentials = decode_credentials(captured("am_container_tokens"));
  ASSERT_TRUE(credentials) << credentials.error().message;
  EXPECT_THAT(credentials->secrets, ElementsAre(::testing::Pair("mysecret", "s3cr3t")));
  EXPECT_THAT(credentials->tokens, ElementsAre(Key("")));
  const auto* token = credentials->find_kind(kAmRmToken);
  ASSERT_NE(token, nullptr);
  EXPECT_EQ(token->service, "");
  EXPECT_EQ(token->password.size(), 20U);
  EXPECT_EQ(encode_credentials(*credentials), captured("am_container_tokens"));
}

TEST(Credentials, of_a_task_are_empty_if_it_got_none) {
  EXPECT_EQ(decode_credentials(captured("task_container_tokens")).value(), Credentials{});
  EXPECT_EQ(encode_credentials({}), captured("task_container_tokens"));
}

// Written by Hadoop's Credentials class: a token with a password of 200 bytes and the secret k.
TEST(Credentials, both_formats_of_hadoops_own_class_are_read) {
  const std::string password(200, '\0');
  const Credentials expected{
      .tokens = {{"al", {from_hex("010203"), password, "KIND", "10.0.0.1:8032"}}},
      .secrets = {{"k", from_hex("0908")}},
  };
  const std::string writable = from_hex("48445453000102616c030102038fc8") + password +
                               from_hex("044b494e440d31302e302e302e313a3830333201016b020908");
  const std::string protobuf = from_hex("4844545301f8010aec010a02616c12e5010a0301020312c801") + password +
                               from_hex("1a044b494e44220d31302e302e302e313a3830333212070a016b1a020908");
  EXPECT_EQ(decode_credentials(writable).value(), expected);
  EXPECT_EQ(decode_credentials(protobuf).value(), expected);
  EXPECT_EQ(encode_credentials(expected), writable);
  EXPECT_EQ(encode_credentials(expected, CredentialsFormat::protobuf), protobuf);
}

TEST(Credentials, truncated_at_any_byte_are_refused) {
  const std::string whole = captured("am_container_tokens");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto credentials = decode_credentials(std::string_view(whole).substr(0, size));
    ASSERT_FALSE(credentials) << size;
    EXPECT_THAT(credentials.error().message, HasSubstr("not a valid file of Hadoop credentials")) << size;
  }
}

TEST(Credentials, a_count_larger_than_the_file_is_refused_before_allocation) {
  EXPECT_FALSE(decode_credentials(from_hex("4844545300 8c7fffffff")));
  EXPECT_FALSE(decode_credentials(from_hex("4844545301 ffffffff07")));
  EXPECT_FALSE(decode_credentials(from_hex("4844545302 0000")));
}

TEST(Credentials, of_tasks_contain_the_tokens_of_services_but_not_the_masters_own) {
  Credentials credentials;
  credentials.add({"id", "pw", std::string(kAmRmToken), ""});
  credentials.add({"id", "pw", "HDFS_DELEGATION_TOKEN", "ha-hdfs:ns"});
  credentials.add({"id", "pw", "NMToken", "node1:8041"});
  credentials.add({"id", "pw", "ContainerToken", "node1:8041"});
  credentials.add({"id", "pw", "kms-dt", "kms://http@kms:9600/kms"});
  for (const auto* alias :
       {"ydl.master", "ydl.agent", "yarn.application.am.keystore", "yarn.application.am.keystore.password",
        "yarn.application.am.truststore", "yarn.application.am.truststore.password", "other"})
    credentials.secrets[alias] = "secret";
  credentials.secrets["dfs-kms-hdfs://ns"] = "kms://http@kms:9600/kms";
  const auto handed_on = for_tasks(credentials);
  EXPECT_THAT(handed_on.tokens, ElementsAre(Key("ha-hdfs:ns"), Key("kms://http@kms:9600/kms")));
  EXPECT_THAT(handed_on.secrets, ElementsAre(Key("dfs-kms-hdfs://ns")));
}

TEST(Credentials, of_tasks_have_hdfs_tokens_under_both_names) {
  Credentials credentials;
  credentials.tokens["nn.example.org:8020"] = {"id", "pw", std::string(hrpc::kHdfsToken), "10.0.0.1:8020"};
  credentials.tokens["10.0.0.3:9600"] = {"id", "pw", "kms-dt", "kms://http@kms:9600/kms"};
  const auto handed_on = for_tasks(credentials);
  EXPECT_THAT(handed_on.tokens, ElementsAre(Key("10.0.0.1:8020"), Key("10.0.0.3:9600"), Key("nn.example.org:8020")));
  EXPECT_EQ(handed_on.tokens.at("10.0.0.1:8020").service, "10.0.0.1:8020");
  EXPECT_EQ(handed_on.tokens.at("nn.example.org:8020").service, "nn.example.org:8020");
  EXPECT_EQ(handed_on.tokens.at("nn.example.org:8020").identifier, "id");
  EXPECT_EQ(for_tasks(handed_on), handed_on);
}

TEST(Credentials, of_a_process_are_read_from_the_file_in_its_variable) {
  EXPECT_EQ(process_credentials([](const char*) { return std::nullopt; }), Credentials{});
  const auto missing = process_credentials([](const char*) { return "/nonexistent/tokens"; });
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, HasSubstr("HADOOP_TOKEN_FILE_LOCATION: "));
  EXPECT_THAT(missing.error().message, HasSubstr("/nonexistent/tokens"));
  const auto other = process_credentials([](const char*) { return "/proc/self/status"; });
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().message,
            "HADOOP_TOKEN_FILE_LOCATION=/proc/self/status: this is not a valid file of Hadoop credentials: it does not "
            "start with HDTS");
}

TEST(TokenIdentifiers, a_token_of_another_kind_or_a_corrupt_one_is_an_error) {
  const auto of_kind = [](std::string_view kind) { return hrpc::Token{"\xff\xff", "", std::string(kind), ""}; };
  EXPECT_THAT(read_rm_delegation_token(of_kind(kAmRmToken)).error().message,
              HasSubstr("expected a token of kind RM_DELEGATION_TOKEN"));
  EXPECT_THAT(read_rm_delegation_token(of_kind(kRmDelegationToken)).error().message, HasSubstr("cannot be decoded"));
}

TEST(TokenIdentifiers, the_service_of_a_group_contains_all_its_servers) {
  const std::vector<hconf::HostPort> servers{{"rm1", 8030}, {"rm2", 8030}};
  EXPECT_EQ(service_of(servers), "rm1:8030,rm2:8030");
}

}  // namespace
}  // namespace ydl::yarn
