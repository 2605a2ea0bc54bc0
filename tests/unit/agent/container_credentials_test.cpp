#include "agent/container_credentials.hpp"

#include "core/files.hpp"
#include "net/endpoint_file.hpp"
#include "support/temp_dir.hpp"
#include "yarn/credentials.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::agent {
namespace {

using ::testing::HasSubstr;

const AgentSecret kSecret{
    {"10.0.0.1", 4711, "s3cret", "ab12"}, "alice", {{"fs.defaultFS", "hdfs://nn.example.org:8020"}}};

class ContainerCredentials : public testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path file_with(const yarn::Credentials& credentials) const {
    auto file = dir.path() / "container_tokens";
    EXPECT_TRUE(core::write_file_atomically(file, yarn::encode_credentials(credentials)));
    return file;
  }
  [[nodiscard]] static yarn::Credentials with(const AgentSecret& secret) {
    yarn::Credentials credentials;
    credentials.secrets.emplace(kAgentSecret, encode_agent_secret(secret));
    return credentials;
  }
  [[nodiscard]] std::string refusal(const yarn::Credentials& credentials) const {
    const auto read = read_agent_credentials(file_with(credentials));
    return read ? "read" : read.error().message;
  }

  test::TempDir dir;
};

TEST_F(ContainerCredentials, the_secret_survives_the_trip) {
  const auto back = decode_agent_secret(encode_agent_secret(kSecret));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->master.address, "10.0.0.1");
  EXPECT_EQ(back->master.port, 4711);
  EXPECT_EQ(back->master, kSecret.master);
  EXPECT_EQ(back->user, "alice");
  EXPECT_EQ(back->hadoop, kSecret.hadoop);
}

TEST_F(ContainerCredentials, a_containers_file_tells_of_master_and_hdfs) {
  yarn::Credentials credentials;
  credentials.secrets.emplace(kAgentSecret, encode_agent_secret(kSecret));
  credentials.add({"id", "password", "HDFS_DELEGATION_TOKEN", "10.0.0.9:8020"});
  const auto read = read_agent_credentials(file_with(credentials));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->master.port, 4711);
  ASSERT_TRUE(read->hdfs);
  EXPECT_EQ(read->hdfs->authority, "nn.example.org:8020");
  EXPECT_EQ(read->hdfs->namenode.identity.user, "alice");
  ASSERT_TRUE(read->hdfs->namenode.identity.token);
  EXPECT_EQ(read->hdfs->namenode.identity.token->identifier, "id");
}

TEST_F(ContainerCredentials, tasks_are_told_their_user_where_there_is_no_kerberos) {
  EXPECT_EQ(read_agent_credentials(file_with(with(kSecret)))->hadoop_user, "alice");
  auto secure = kSecret;
  secure.hadoop["hadoop.security.authentication"] = "kerberos";
  secure.hadoop["dfs.namenode.kerberos.principal"] = "nn/_HOST@EXAMPLE.ORG";
  EXPECT_EQ(read_agent_credentials(file_with(with(secure)))->hadoop_user, "");
}

TEST_F(ContainerCredentials, without_a_configuration_there_is_no_hdfs) {
  yarn::Credentials credentials;
  auto secret = kSecret;
  secret.hadoop.clear();
  credentials.secrets.emplace(kAgentSecret, encode_agent_secret(secret));
  const auto read = read_agent_credentials(file_with(credentials));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_FALSE(read->hdfs);
}

TEST_F(ContainerCredentials, tasks_find_hadoops_tokens_in_the_file_and_nothing_of_ours) {
  yarn::Credentials credentials;
  credentials.secrets.emplace(kAgentSecret, encode_agent_secret(kSecret));
  credentials.add({"id", "password", "HDFS_DELEGATION_TOKEN", "10.0.0.9:8020"});
  const auto file = file_with(credentials);
  ASSERT_TRUE(hide_from_tasks(file));
  const auto left = yarn::decode_credentials(core::read_file(file).value());
  ASSERT_TRUE(left) << left.error().message;
  EXPECT_TRUE(left->secrets.empty());
  EXPECT_EQ(left->tokens, credentials.tokens);
  EXPECT_EQ(std::filesystem::status(file).permissions(), std::filesystem::perms(0600));
}

TEST_F(ContainerCredentials, a_file_of_the_local_master_is_not_changed) {
  const auto file = dir.path() / "master.json";
  ASSERT_TRUE(net::write_endpoint(file, kSecret.master));
  const auto before = core::read_file(file);
  ASSERT_TRUE(hide_from_tasks(file));
  EXPECT_EQ(core::read_file(file).value(), before.value());
}

TEST_F(ContainerCredentials, a_file_of_the_local_master_is_read_too) {
  const auto file = dir.path() / "master.json";
  ASSERT_TRUE(net::write_endpoint(file, kSecret.master));
  const auto read = read_agent_credentials(file);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->master.secret, "s3cret");
  EXPECT_FALSE(read->hdfs);
}

TEST_F(ContainerCredentials, what_is_missing_or_wrong_is_said_with_the_file) {
  EXPECT_THAT(refusal({}), HasSubstr("container_tokens: they contain no secret 'ydl.agent'"));
  EXPECT_THAT(refusal({.secrets = {{"ydl.agent", R"({"version":1})"}}}), HasSubstr("version 1"));
  EXPECT_THAT(refusal({.secrets = {{"ydl.agent", "nonsense"}}}), HasSubstr("container_tokens"));
  auto unknown = kSecret;
  unknown.master.fingerprint.clear();
  EXPECT_THAT(refusal({.secrets = {{"ydl.agent", encode_agent_secret(unknown)}}}), HasSubstr("'fingerprint' is empty"));
  auto secret = kSecret;
  secret.hadoop["fs.defaultFS"] = "s3a://bucket";
  EXPECT_THAT(refusal({.secrets = {{"ydl.agent", encode_agent_secret(secret)}}}), HasSubstr("fs.defaultFS"));
}

TEST_F(ContainerCredentials, the_environment_names_the_file_where_the_command_line_does_not) {
  const core::Getenv none = [](const char*) { return std::nullopt; };
  const core::Getenv some = [](const char* name) {
    return std::string_view(name) == "HADOOP_TOKEN_FILE_LOCATION" ? std::optional<std::string>("/tokens")
                                                                  : std::nullopt;
  };
  EXPECT_EQ(credentials_file("/given", some), "/given");
  EXPECT_EQ(credentials_file("", some), "/tokens");
  EXPECT_FALSE(credentials_file("", none));
}

}  // namespace
}  // namespace ydl::agent
