#include "yarn/proxy_identity.hpp"

#include "core/files.hpp"
#include "yarn/jks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::yarn {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr const char* kKeyStore = "yarn.application.am.keystore";
constexpr const char* kKeyPassword = "yarn.application.am.keystore.password";
constexpr const char* kTrustStore = "yarn.application.am.truststore";
constexpr const char* kTrustPassword = "yarn.application.am.truststore.password";

std::string store(const std::string& name) {
  return core::read_file(std::string(YDL_WIRE_DIR) + "/yarn/key_stores/" + name).value();
}

Credentials of_a_master() {
  Credentials credentials;
  credentials.secrets[kKeyStore] = store("keystore.jks");
  credentials.secrets[kKeyPassword] = "keypass7";
  credentials.secrets[kTrustStore] = store("truststore.jks");
  credentials.secrets[kTrustPassword] = "trustpass7";
  credentials.secrets["ydl.master"] = "ticket";
  return credentials;
}
std::string problem(const Credentials& credentials) {
  const auto identity = proxy_identity(credentials);
  return identity ? "" : identity.error().message;
}

TEST(ProxyIdentity, contains_the_key_named_server_its_chain_and_the_certificate_of_the_proxy) {
  const auto identity = proxy_identity(of_a_master());
  ASSERT_TRUE(identity) << identity.error().message;
  ASSERT_TRUE(*identity);
  ASSERT_THAT((*identity)->chain, SizeIs(2));
  EXPECT_THAT((*identity)->chain[0], HasSubstr("application_1700000000000_0007"));
  ASSERT_THAT((*identity)->callers, SizeIs(1));
  EXPECT_EQ((*identity)->callers[0], (*identity)->chain[1]);
  EXPECT_FALSE((*identity)->key.empty());
}

TEST(ProxyIdentity, is_empty_without_the_secrets) {
  Credentials credentials;
  credentials.secrets["ydl.master"] = "ticket";
  credentials.secrets["zzz"] = "other";
  EXPECT_EQ(proxy_identity(credentials).value().has_value(), false);
}

TEST(ProxyIdentity, a_missing_secret_is_named) {
  for (const auto* missing : {kKeyStore, kKeyPassword, kTrustStore, kTrustPassword}) {
    auto credentials = of_a_master();
    credentials.secrets.erase(missing);
    EXPECT_EQ(problem(credentials), std::string("the credentials of this master do not contain the secret ") + missing);
  }
}

TEST(ProxyIdentity, an_invalid_secret_is_named_and_the_message_contains_no_password) {
  auto credentials = of_a_master();
  credentials.secrets[kKeyPassword] = "wrong-password";
  EXPECT_EQ(
      problem(credentials),
      "yarn.application.am.keystore: this is not a valid Java key store: it was modified, or the password is wrong");
  credentials = of_a_master();
  credentials.secrets[kTrustStore] = std::string(std::size_t{100} << 20U, 'x');
  EXPECT_THAT(problem(credentials), HasSubstr("yarn.application.am.truststore: "));
  credentials.secrets[kTrustStore] = "";
  EXPECT_THAT(problem(credentials), HasSubstr("is truncated"));
}

TEST(ProxyIdentity, stores_without_the_key_or_a_certificate_are_refused) {
  auto credentials = of_a_master();
  credentials.secrets[kKeyStore] = store("keytool.jks");
  credentials.secrets[kKeyPassword] = "changeit";
  EXPECT_EQ(problem(credentials), "yarn.application.am.keystore: it has no key named server");
  credentials = of_a_master();
  const std::string empty("\xfe\xed\xfe\xed\0\0\0\2\0\0\0\0", 12);
  credentials.secrets[kTrustStore] = empty + jks_digest(empty, "trustpass7");
  EXPECT_EQ(problem(credentials), "yarn.application.am.truststore: it has no certificate");
}

TEST(ProxyIdentity, is_not_in_the_credentials_of_tasks) {
  EXPECT_EQ(for_tasks(of_a_master()), Credentials{});
}

}  // namespace
}  // namespace ydl::yarn
