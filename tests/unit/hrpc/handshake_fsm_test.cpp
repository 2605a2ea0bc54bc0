#include "hrpc/handshake_fsm.hpp"

#include "hrpc/errors.hpp"
#include "hrpc/principal.hpp"
#include "hrpc/proto/rpc_header.pb.h"
#include "support/rpc_recording.hpp"
#include "support/rpc_replies.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::hrpc {
namespace {

using hadoop::common::RpcSaslProto;
using ::testing::HasSubstr;

struct Auth {
  std::string method;
  std::string mechanism;
  std::optional<std::string> protocol = std::nullopt;
  std::optional<std::string> server = std::nullopt;
  std::string challenge = {};
};
const Auth kToken{"TOKEN", "DIGEST-MD5", "", "default", R"(realm="default",nonce="n",qop="auth",algorithm=md5-sess)"};
const Auth kKerberos{"KERBEROS", "GSSAPI", "nn", "host1"};
const Auth kSimple{"SIMPLE", ""};
const Auth kVendor{"VENDOR", "X-PLAIN", "p", "s"};

std::string offer(const std::vector<Auth>& auths) {
  RpcSaslProto message;
  message.set_state(RpcSaslProto::NEGOTIATE);
  for (const auto& auth : auths) {
    auto& added = *message.add_auths();
    added.set_method(auth.method);
    added.set_mechanism(auth.mechanism);
    if (auth.protocol) added.set_protocol(*auth.protocol);
    if (auth.server) added.set_serverid(*auth.server);
    if (!auth.challenge.empty()) added.set_challenge(auth.challenge);
  }
  return test::frames_of(test::sasl_reply(message)).at(0);
}

std::string sasl_frame(RpcSaslProto::SaslState state, std::optional<std::string> token = std::nullopt) {
  RpcSaslProto message;
  message.set_state(state);
  if (token) message.set_token(*token);
  return test::frames_of(test::sasl_reply(message)).at(0);
}

RpcSaslProto said(const std::string& bytes) {
  const std::string frame = test::frames_of(bytes).at(0);
  std::string_view rest = frame;
  (void)take_delimited(rest);
  return decode_sasl(take_delimited(rest).value()).value();
}

// Sends one, two and three, whatever it receives, and is then complete.
class Scripted final : public sasl::Mechanism {
 public:
  core::Result<std::string> step(std::string_view challenge) override {
    ++steps_;
    if (challenge == "wrong") return core::fail(Errc::unauthenticated, "the server's ticket is wrong");
    return steps_ == 2 ? std::string() : "step " + std::to_string(steps_);
  }
  bool complete() const override { return steps_ >= 3; }
  Protection protection() const override { return Protection::authentication; }
  core::Result<std::string> wrap(std::string_view plain) override { return std::string(plain); }
  core::Result<std::string> unwrap(std::string_view wrapped) override { return std::string(wrapped); }
  std::size_t max_plaintext() const override { return 100; }

 private:
  int steps_ = 0;
};

HandshakeFsm handshake(Identity identity) {
  identity.user = "alice";
  HandshakeFsm fsm(
      {.identity = std::move(identity),
       .server_host = "Host1",
       .kerberos = [](const ServerPrincipal&, const Identity&) -> core::Result<std::unique_ptr<sasl::Mechanism>> {
         return std::make_unique<Scripted>();
       },
       .client_nonce = "c"});
  (void)fsm.first_bytes();
  return fsm;
}

Identity with_token() {
  return {.token = test::recorded_token()};
}
Identity with_kerberos(std::string principal = "nn/_HOST@EXAMPLE.ORG") {
  return {.security = Security::kerberos,
          .server_principal = std::move(principal),
          .principal_key = "dfs.namenode.kerberos.principal"};
}

core::Error error_of(const core::Result<std::string>& result) {
  return result ? core::Error{} : result.error();
}

TEST(Handshake, there_is_no_handshake_without_token_and_kerberos) {
  HandshakeFsm fsm({.identity = {.user = "alice"}, .server_host = "h"});
  EXPECT_EQ(fsm.first_bytes(), encode_preamble(AuthProtocol::none));
  EXPECT_TRUE(fsm.done());
  EXPECT_EQ(fsm.caller().user, "alice");
  EXPECT_EQ(fsm.take_protection(), nullptr);
}

TEST(Handshake, initiate_repeats_the_offer_including_empty_fields_but_without_the_challenge) {
  auto fsm = handshake(with_token());
  const auto bytes = fsm.on_frame(offer({kToken, kSimple}));
  ASSERT_TRUE(bytes) << bytes.error().message;
  const auto message = said(*bytes);
  EXPECT_EQ(message.state(), RpcSaslProto::INITIATE);
  ASSERT_EQ(message.auths_size(), 1);
  EXPECT_TRUE(message.auths(0).has_protocol());
  EXPECT_EQ(message.auths(0).protocol(), "");
  EXPECT_EQ(message.auths(0).serverid(), "default");
  EXPECT_FALSE(message.auths(0).has_challenge());
  EXPECT_THAT(message.token(), HasSubstr("digest-uri=\"/default\""));
  EXPECT_FALSE(fsm.done());
}

TEST(Handshake, with_a_token_the_context_has_no_user) {
  auto fsm = handshake(with_token());
  ASSERT_TRUE(fsm.on_frame(offer({kToken})));
  EXPECT_EQ(fsm.caller().user, "");
}

TEST(Handshake, a_server_without_security_gets_the_user_in_the_context) {
  auto fsm = handshake(with_token());
  EXPECT_EQ(fsm.on_frame(sasl_frame(RpcSaslProto::SUCCESS)), "");
  EXPECT_TRUE(fsm.done());
  EXPECT_EQ(fsm.caller().user, "alice");
}

TEST(Handshake, no_answer_is_expected_after_choosing_simple) {
  auto fsm = handshake({.token = std::nullopt, .security = Security::kerberos, .fallback_to_simple = true});
  const auto bytes = fsm.on_frame(offer({kToken, kSimple}));
  ASSERT_TRUE(bytes) << bytes.error().message;
  const auto message = said(*bytes);
  EXPECT_EQ(message.state(), RpcSaslProto::INITIATE);
  EXPECT_FALSE(message.has_token());
  EXPECT_FALSE(message.auths(0).has_protocol());
  EXPECT_TRUE(fsm.done());
  EXPECT_EQ(fsm.caller().user, "alice");
}

TEST(Handshake, a_secure_client_does_not_fall_back_unless_allowed) {
  for (const auto& frame : {sasl_frame(RpcSaslProto::SUCCESS), offer({kSimple}), offer({kToken, kSimple})}) {
    auto fsm = handshake(with_kerberos());
    const auto error = error_of(fsm.on_frame(frame));
    EXPECT_EQ(error.code, Errc::security_refused);
    EXPECT_THAT(error.message, HasSubstr("ipc.client.fallback-to-simple-auth-allowed"));
    EXPECT_FALSE(fsm.done());
  }
}

TEST(Handshake, unknown_offers_are_skipped) {
  auto fsm = handshake(with_token());
  ASSERT_TRUE(fsm.on_frame(offer({kVendor, kKerberos, kToken})));
  auto other = handshake(with_kerberos());
  const auto bytes = other.on_frame(offer({kVendor, kToken, kKerberos, kSimple}));
  ASSERT_TRUE(bytes);
  EXPECT_EQ(said(*bytes).auths(0).method(), "KERBEROS");
}

TEST(Handshake, without_a_common_method_the_error_names_both_sides) {
  auto fsm = handshake(with_token());
  const auto error = error_of(fsm.on_frame(offer({kKerberos, kVendor})));
  EXPECT_EQ(error.code, Errc::unauthenticated);
  EXPECT_THAT(error.message, HasSubstr("the server accepts KERBEROS, VENDOR"));
  EXPECT_THAT(error.message, HasSubstr("kinit"));
}

TEST(Handshake, kerberos_messages_are_exchanged_until_both_sides_are_complete) {
  auto fsm = handshake(with_kerberos("nn/_HOST@EXAMPLE.ORG"));
  EXPECT_EQ(said(fsm.on_frame(offer({kKerberos})).value()).token(), "step 1");
  const auto second = said(fsm.on_frame(sasl_frame(RpcSaslProto::CHALLENGE, "go on")).value());
  EXPECT_EQ(second.state(), RpcSaslProto::RESPONSE);
  EXPECT_TRUE(second.has_token()) << "an empty answer is still an answer";
  EXPECT_EQ(second.token(), "");
  EXPECT_EQ(said(fsm.on_frame(sasl_frame(RpcSaslProto::CHALLENGE, "layers")).value()).token(), "step 3");
  EXPECT_EQ(fsm.on_frame(sasl_frame(RpcSaslProto::SUCCESS)), "");
  EXPECT_TRUE(fsm.done());
  EXPECT_EQ(fsm.caller().user, "") << "a user in the context would mean impersonation";
}

TEST(Handshake, success_before_the_server_s_proof_is_refused) {
  auto fsm = handshake(with_kerberos());
  ASSERT_TRUE(fsm.on_frame(offer({kKerberos})));
  EXPECT_EQ(error_of(fsm.on_frame(sasl_frame(RpcSaslProto::SUCCESS))).code, Errc::unauthenticated);
  auto digest = handshake(with_token());
  ASSERT_TRUE(digest.on_frame(offer({kToken})));
  EXPECT_EQ(error_of(digest.on_frame(sasl_frame(RpcSaslProto::SUCCESS))).code, Errc::unauthenticated);
}

TEST(Handshake, a_principal_other_than_the_configured_one_is_refused) {
  auto fsm = handshake(with_kerberos("nn/other.example.org@EXAMPLE.ORG"));
  const auto error = error_of(fsm.on_frame(offer({kKerberos})));
  EXPECT_EQ(error.code, Errc::unauthenticated);
  EXPECT_EQ(error.message,
            "the server's principal is nn/host1, but the configuration expects nn/other.example.org@EXAMPLE.ORG");
}

TEST(Handshake, a_server_is_refused_if_no_principal_is_configured) {
  auto fsm = handshake(with_kerberos(""));
  const auto error = error_of(fsm.on_frame(offer({kKerberos})));
  EXPECT_EQ(error.code, Errc::unauthenticated);
  EXPECT_EQ(error.message,
            "the server's principal is nn/host1, but the configuration has no principal to compare it with: set "
            "dfs.namenode.kerberos.principal to the principal of the service, for example nn/_HOST@REALM");
}

// Always asks for one more answer.
class Endless final : public sasl::Mechanism {
 public:
  core::Result<std::string> step(std::string_view) override { return std::string("more"); }
  bool complete() const override { return false; }
  Protection protection() const override { return Protection::authentication; }
  core::Result<std::string> wrap(std::string_view plain) override { return std::string(plain); }
  core::Result<std::string> unwrap(std::string_view wrapped) override { return std::string(wrapped); }
  std::size_t max_plaintext() const override { return 100; }
};

TEST(Handshake, an_endless_handshake_is_an_error) {
  HandshakeFsm fsm(
      {.identity = with_kerberos(),
       .server_host = "host1",
       .kerberos = [](const ServerPrincipal&, const Identity&) -> core::Result<std::unique_ptr<sasl::Mechanism>> {
         return std::make_unique<Endless>();
       }});
  (void)fsm.first_bytes();
  auto answer = fsm.on_frame(offer({kKerberos}));
  int frames = 1;
  for (; answer && frames < 1000; ++frames) answer = fsm.on_frame(sasl_frame(RpcSaslProto::CHALLENGE, "again"));
  EXPECT_EQ(error_of(answer).code, Errc::corrupt);
  EXPECT_LT(frames, 100);
}

TEST(Handshake, an_exception_in_the_handshake_is_mapped_to_its_error) {
  for (const auto& [java_class, meaning] :
       {std::pair{"org.apache.hadoop.ipc.StandbyException", Errc::standby},
        std::pair{"org.apache.hadoop.security.token.SecretManager$InvalidToken", Errc::invalid_token},
        std::pair{"javax.security.sasl.SaslException", Errc::unauthenticated}}) {
    auto fsm = handshake(with_token());
    ASSERT_TRUE(fsm.on_frame(offer({kToken})));
    const auto frame = test::frames_of(test::fatal_reply(kSaslCall, java_class, "why"))[0];
    EXPECT_EQ(error_of(fsm.on_frame(frame)).code, meaning);
  }
}

TEST(Handshake, unexpected_messages_are_refused) {
  auto fsm = handshake(with_token());
  EXPECT_EQ(error_of(fsm.on_frame(sasl_frame(RpcSaslProto::CHALLENGE, "x"))).code, Errc::corrupt);
  auto later = handshake(with_token());
  ASSERT_TRUE(later.on_frame(offer({kToken})));
  EXPECT_EQ(error_of(later.on_frame(offer({kToken}))).code, Errc::corrupt);
  auto early = handshake(with_token());
  EXPECT_EQ(error_of(early.on_frame(test::frames_of(test::reply(CallId{0}, "x"))[0])).code, Errc::corrupt);
}

TEST(Principal, host_is_replaced_by_the_server_in_lower_case) {
  EXPECT_EQ(expand_principal("nn/_HOST@EXAMPLE.ORG", "NameNode1"), "nn/namenode1@EXAMPLE.ORG");
  EXPECT_EQ(expand_principal("nn/_HOST", "h"), "nn/h");
  EXPECT_EQ(expand_principal("nn/_HOSTS@R", "h"), "nn/_HOSTS@R");
  EXPECT_EQ(expand_principal("hdfs@R", "h"), "hdfs@R");
}

bool is_trusted(const ServerPrincipal& server, std::string principal, std::string pattern, std::string_view host) {
  return check_principal(server, {.server_principal = std::move(principal), .principal_pattern = std::move(pattern)},
                         host)
      .has_value();
}

TEST(Principal, the_principal_must_match_the_host_that_is_called) {
  const ServerPrincipal server{"rm", "host1.example.org"};
  EXPECT_TRUE(is_trusted(server, "rm/_HOST@R", "", "Host1.Example.org"));
  EXPECT_TRUE(is_trusted(server, "rm/_HOST@R", "", "host1")) << "a short name";
  EXPECT_FALSE(is_trusted(server, "rm/_HOST@R", "", "10.0.0.1")) << "the name of the address is missing";
  EXPECT_FALSE(is_trusted(server, "rm/_HOST@R", "", "fe80::1"));
  EXPECT_TRUE(is_trusted(server, "rm/host1.example.org@R", "", "10.0.0.1")) << "the principal has no _HOST";
  EXPECT_FALSE(is_trusted(server, "", "", "host1.example.org")) << "nothing is configured";
  EXPECT_FALSE(is_trusted(server, "rm/_HOST@R", "", "host"));
  EXPECT_FALSE(is_trusted(server, "rm/_HOST@R", "", "host1.other.org"));
  EXPECT_FALSE(is_trusted(server, "nn/_HOST@R", "", "host1"));
  EXPECT_FALSE(is_trusted(server, "rm/host2@R", "", "10.0.0.1")) << "the principal has no _HOST";
}

TEST(Principal, the_name_of_an_address_is_only_needed_to_replace_host) {
  EXPECT_TRUE(needs_reverse_name({.server_principal = "nn/_HOST@R"}, "10.0.0.1"));
  EXPECT_TRUE(needs_reverse_name({.server_principal = "nn/_HOST@R"}, "::1"));
  EXPECT_FALSE(needs_reverse_name({.server_principal = "nn/_HOST@R"}, "host1"));
  EXPECT_FALSE(needs_reverse_name({.server_principal = "nn/host1@R"}, "10.0.0.1"));
  EXPECT_FALSE(needs_reverse_name({.server_principal = "nn/_HOST@R", .principal_pattern = "*"}, "10.0.0.1"));
}

TEST(Principal, a_pattern_is_used_instead_of_the_principal) {
  const ServerPrincipal server{"nn", "host1.example.org"};
  EXPECT_TRUE(is_trusted(server, "nn/other@R", "*", "h"));
  EXPECT_TRUE(is_trusted(server, "", "nn/host?.*@R", "h"));
  EXPECT_TRUE(is_trusted(server, "", "*/*.org*", "h"));
  EXPECT_FALSE(is_trusted(server, "", "nn/host?@R", "h"));
  EXPECT_FALSE(is_trusted(server, "", "*/*.com", "h"));
  EXPECT_TRUE(is_trusted({"nn", std::string(1'000'000, 'x')}, "", "*x*x", "h"));
  EXPECT_FALSE(is_trusted(server, "nn/_HOST@R", "dn/*", "host1.example.org"));
}

TEST(Principal, a_ticket_is_requested_for_the_configured_realm) {
  EXPECT_EQ(ticket_name({"nn", "Host1"}, {.server_principal = "hdfs/_HOST@EXAMPLE.ORG"}), "nn/host1@EXAMPLE.ORG");
  EXPECT_EQ(ticket_name({"nn", "host1"}, {}), "nn/host1");
}

}  // namespace
}  // namespace ydl::hrpc
