// DIGEST-MD5 against the bytes of the JDK's implementation.
#include "hrpc/sasl/digest_md5.hpp"

#include "core/base64.hpp"
#include "hrpc/errors.hpp"
#include "hrpc/message_codec.hpp"
#include "hrpc/proto/rpc_header.pb.h"
#include "hrpc/sasl/digest_challenge.hpp"
#include "hrpc/sasl/hash.hpp"
#include "hrpc/sasl/rc4.hpp"
#include "support/rpc_recording.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::hrpc::sasl {
namespace {

using ::testing::HasSubstr;
using ::ydl::testing::from_hex;

std::string directive(const std::string& response, const std::string& name) {
  const auto at = response.find(name + "=\"") + name.size() + 2;
  return response.substr(at, response.find('"', at) - at);
}

// A recorded handshake and the wrapped messages that follow it.
struct Exchange {
  std::string challenge;
  std::string response;
  std::string proof;
  std::vector<std::string> up;
  std::vector<std::string> down;
};

hadoop::common::RpcSaslProto sasl_of_client(std::string_view frame) {
  std::string_view rest = frame;
  (void)take_delimited(rest);
  return decode_sasl(take_delimited(rest).value()).value();
}

Exchange exchange(const std::string& name) {
  const auto reads = test::recording(name);
  const std::string up = test::said(reads, true);
  const auto client = test::frames_of(std::string_view(up).substr(test::kPreambleSize));
  const auto server = test::frames_of(test::said(reads, false));
  Exchange found;
  found.response = sasl_of_client(client.at(1)).token();
  const auto first = decode_sasl(decode_response(server.at(0))->body).value();
  found.challenge = first.auths(0).challenge();
  found.proof = decode_sasl(decode_response(server.at(1))->body)->token();
  if (name == "token_auth" || name == "tokenonly_auth") return found;
  for (std::size_t i = 2; i < client.size(); ++i) found.up.push_back(sasl_of_client(client[i]).token());
  for (std::size_t i = 2; i < server.size(); ++i) {
    found.down.push_back(decode_sasl(decode_response(server[i])->body)->token());
  }
  return found;
}

std::unique_ptr<Mechanism> mechanism(const Exchange& recorded, Protection protection) {
  return make_digest_md5({.credentials = digest_credentials(test::recorded_token()),
                          .digest_uri = "/default",
                          .protections = {protection},
                          .client_nonce = directive(recorded.response, "cnonce")});
}

class DigestRecordings : public ::testing::TestWithParam<std::pair<const char*, Protection>> {};

TEST_P(DigestRecordings, the_response_equals_the_one_of_java_and_the_server_s_proof_is_accepted) {
  const auto [name, protection] = GetParam();
  const Exchange recorded = exchange(name);
  const auto digest = mechanism(recorded, protection);
  EXPECT_EQ(digest->step(recorded.challenge), recorded.response);
  EXPECT_FALSE(digest->complete());
  EXPECT_EQ(digest->step(recorded.proof), "");
  EXPECT_TRUE(digest->complete());
  EXPECT_EQ(digest->protection(), protection);
}

TEST_P(DigestRecordings, a_server_without_the_password_is_refused) {
  const auto [name, protection] = GetParam();
  const Exchange recorded = exchange(name);
  for (std::string proof : {recorded.proof, std::string("rspauth="), std::string("rspauth=x")}) {
    const auto digest = mechanism(recorded, protection);
    ASSERT_TRUE(digest->step(recorded.challenge));
    proof.back() = proof.back() == '0' ? '1' : '0';
    const auto answer = digest->step(proof);
    ASSERT_FALSE(answer);
    EXPECT_FALSE(digest->complete());
  }
}

INSTANTIATE_TEST_SUITE_P(All, DigestRecordings,
                         ::testing::Values(std::pair{"token_auth", Protection::authentication},
                                           std::pair{"tokenonly_auth", Protection::authentication},
                                           std::pair{"token_int", Protection::integrity},
                                           std::pair{"token_conf", Protection::privacy}),
                         [](const auto& info) { return std::string(info.param.first); });

// The protection layer of the recorded session, before the first message of each direction.
std::unique_ptr<Mechanism> opened(const Exchange& recorded, Protection protection) {
  auto digest = mechanism(recorded, protection);
  if (!digest->step(recorded.challenge) || !digest->step(recorded.proof)) throw std::runtime_error("not opened");
  return digest;
}

void expect_the_two_answers(const std::string& name, Protection protection) {
  const Exchange recorded = exchange(name);
  const auto digest = opened(recorded, protection);
  std::string plain;
  for (const auto& message : recorded.down) {
    const auto piece = digest->unwrap(message);
    ASSERT_TRUE(piece) << piece.error().message;
    plain += *piece;
  }
  const auto answers = test::frames_of(plain);
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_EQ(decode_response(answers[0])->status, Status::success);
  EXPECT_EQ(decode_response(answers[1])->exception, "java.io.FileNotFoundException");
}

TEST(DigestLayer, integrity_unwraps_what_java_wrapped) {
  expect_the_two_answers("token_int", Protection::integrity);
}
TEST(DigestLayer, privacy_with_3des_unwraps_what_java_wrapped) {
  expect_the_two_answers("token_conf", Protection::privacy);
}

// With integrity the recording contains the plain bytes.
TEST(DigestLayer, integrity_wraps_as_java_does) {
  const Exchange recorded = exchange("token_int");
  const auto digest = opened(recorded, Protection::integrity);
  ASSERT_EQ(recorded.up.size(), 2U);
  for (const auto& message : recorded.up) {
    EXPECT_EQ(digest->wrap(std::string_view(message).substr(0, message.size() - 16)), message);
  }
}

TEST(DigestLayer, privacy_with_3des_wraps_as_java_does) {
  const Exchange recorded = exchange("token_conf");
  const auto digest = opened(recorded, Protection::privacy);
  const auto plain = test::recording("token_conf_plain");
  ASSERT_EQ(plain.size(), recorded.up.size());
  for (std::size_t i = 0; i < plain.size(); ++i) EXPECT_EQ(digest->wrap(plain[i].bytes), recorded.up[i]);
}

TEST(DigestLayer, a_modified_lost_or_repeated_message_is_an_error) {
  for (const auto& [name, protection] :
       {std::pair{"token_int", Protection::integrity}, std::pair{"token_conf", Protection::privacy}}) {
    const Exchange recorded = exchange(name);
    const std::string& first = recorded.down.at(0);
    for (std::size_t i = 0; i < first.size(); ++i) {
      const auto digest = mechanism(recorded, protection);
      ASSERT_TRUE(digest->step(recorded.challenge));
      std::string changed = first;
      changed[i] = static_cast<char>(changed[i] ^ 1);
      const auto plain = digest->unwrap(changed);
      ASSERT_FALSE(plain) << name << " byte " << i;
      EXPECT_EQ(plain.error().code, Errc::corrupt);
    }
    const auto digest = mechanism(recorded, protection);
    ASSERT_TRUE(digest->step(recorded.challenge));
    EXPECT_FALSE(digest->unwrap(recorded.down.at(1))) << "lost";
    const auto twice = mechanism(recorded, protection);
    ASSERT_TRUE(twice->step(recorded.challenge));
    ASSERT_TRUE(twice->unwrap(first));
    EXPECT_FALSE(twice->unwrap(first)) << "repeated";
    for (std::size_t size = 0; size < 40; ++size) {
      const auto cut = mechanism(recorded, protection);
      ASSERT_TRUE(cut->step(recorded.challenge));
      EXPECT_FALSE(cut->unwrap(std::string_view(first).substr(0, size)));
    }
  }
}

// A data connection of the same Hadoop with dfs.encrypt.data.transfer.algorithm=rc4.
TEST(DigestLayer, rc4_and_authzid_work_as_on_a_data_connection) {
  const std::string user = "2005882731 BP-520768029-127.0.0.1-1794708673449 LIlrfYd3zR0=";
  const auto digest =
      make_digest_md5({.credentials = {user, core::to_base64(from_hex("d8920f15b3090b4ca095bcfc7480e9c2ff58ffca"))},
                       .digest_uri = "hdfs/0",
                       .protections = {Protection::privacy},
                       .ciphers = {"rc4"},
                       .authzid = user,
                       .client_nonce = "pe/oDhemzskSMshuk6M2T512kcTElO87UwSvJ6zy"});
  const auto response = digest->step(
      "realm=\"0\",nonce=\"+/h+/bDEfkkyKlHnDZHKbHi/rYrFYz3XCB2+RW3w\",qop=\"auth-conf\",charset=utf-8,"
      "cipher=\"3des,rc4,des,rc4-56,rc4-40\",algorithm=md5-sess");
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_THAT(*response, HasSubstr("response=90c29cdd6d5ffa89f76131535c509bc4,qop=auth-conf,cipher=\"rc4\",authzid=\"" +
                                   user + "\""));
  EXPECT_EQ(digest->step("rspauth=fe2a71afc5d567dcfdd1d9c41993965d"), "");
  const auto plain = digest->unwrap(from_hex("dc93c4ee25f6121eda8bdb8b69d8b2000100000000"));
  ASSERT_TRUE(plain) << plain.error().message;
  EXPECT_EQ(*plain, from_hex("0408001200"));
}

TEST(DigestMd5, rc4_matches_the_published_test_vectors) {
  Rc4 stream("Key");
  std::string text = "Plain";
  stream.apply(text);
  std::string rest = "text";
  stream.apply(rest);
  EXPECT_EQ(text + rest, from_hex("bbf316e8d940af0ad3"));
}

TEST(DigestMd5, without_a_common_protection_the_error_names_both_lists_and_the_key) {
  const auto digest =
      make_digest_md5({.credentials = {"u", "p"}, .digest_uri = "/default", .protections = {Protection::privacy}});
  const auto response = digest->step(R"(realm="r",nonce="n",qop="auth,auth-int",algorithm=md5-sess)");
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, Errc::security_refused);
  EXPECT_THAT(response.error().message,
              HasSubstr("offers the protection auth, auth-int, but the configuration allows auth-conf"));
  EXPECT_THAT(response.error().message, HasSubstr("hadoop.rpc.protection"));
}

TEST(DigestMd5, no_common_cipher_is_refused) {
  const auto digest =
      make_digest_md5({.credentials = {"u", "p"}, .digest_uri = "/", .protections = {Protection::privacy}});
  const auto response = digest->step(R"(realm="r",nonce="n",qop="auth-conf",cipher="des",algorithm=md5-sess)");
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, Errc::security_refused);
}

TEST(DigestMd5, our_order_of_preference_decides) {
  const auto digest = make_digest_md5({.credentials = {"u", "p"},
                                       .digest_uri = "/",
                                       .protections = {Protection::integrity, Protection::authentication}});
  ASSERT_TRUE(digest->step(R"(realm="r",nonce="n",qop="auth,auth-int,auth-conf",algorithm=md5-sess)"));
  EXPECT_EQ(digest->protection(), Protection::integrity);
}

TEST(DigestChallenge, quotes_escapes_spaces_and_several_realms_are_parsed) {
  const auto challenge = parse_challenge(
      R"(realm="a \"b\", c" , realm="second",nonce="n\\x",,qop="auth , auth-int",maxbuf=1000,algorithm=md5-sess,x=y)");
  ASSERT_TRUE(challenge) << challenge.error().message;
  EXPECT_EQ(challenge->realm, R"(a "b", c)");
  EXPECT_EQ(challenge->nonce, R"(n\x)");
  EXPECT_EQ(challenge->qops, (std::vector<std::string>{"auth", "auth-int"}));
  EXPECT_EQ(challenge->max_buffer, 1000U);
}

TEST(DigestChallenge, invalid_challenges_are_refused) {
  for (const auto* text : {"", "nonce", "=x", "nonce=\"open", "nonce=\"a\"b,algorithm=md5-sess", "nonce=\"a\"",
                           "algorithm=md5-sess", "nonce=\"n\",algorithm=md5", "nonce=\"n\\",
                           "nonce=\"n\",algorithm=md5-sess,maxbuf=x", "nonce=\"n\",algorithm=md5-sess,maxbuf=10"}) {
    EXPECT_FALSE(parse_challenge(text)) << text;
  }
  EXPECT_FALSE(parse_challenge("nonce=\"n\",algorithm=md5-sess,x=" + std::string(5000, 'x')));
}

}  // namespace
}  // namespace ydl::hrpc::sasl
