// Replays recorded sessions: our side must send the same bytes as Java's client, and a fault at any step must end the
// session with an error.
#include "hrpc/session_fsm.hpp"

#include "hrpc/errors.hpp"
#include "hrpc/proto/rpc_header.pb.h"
#include "support/rpc_recording.hpp"
#include "support/rpc_replies.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::hrpc {
namespace {

using test::Recorded;
using test::recording;
using ::testing::HasSubstr;

constexpr Method kGetFileInfo{"org.apache.hadoop.hdfs.protocol.ClientProtocol", "getFileInfo", Repeat::idempotent};
const std::string kPathA = ydl::testing::from_hex("0a022f61");
const std::string kPathErr = ydl::testing::from_hex("0a042f657272");

struct Scenario {
  const char* name;
  Protection protection;
};

// The random values of Java's client in a recording.
SessionOptions options_of(const Scenario& scenario) {
  const auto reads = recording(scenario.name);
  SessionOptions options{.client = {},
                         .handshake = {.identity = {.user = "alice", .protections = {scenario.protection}}},
                         .protocol = std::string(kGetFileInfo.protocol),
                         .max_response = 1U << 20U};
  const std::string up = test::said(reads, true);
  const bool is_simple = std::string_view(scenario.name) == "simple";
  if (!is_simple) {
    const auto at = up.find("cnonce=\"") + 8;
    options.handshake.client_nonce = up.substr(at, up.find('"', at) - at);
    options.handshake.identity.token = test::recorded_token();
  }
  const std::string clear =
      scenario.protection == Protection::privacy ? test::said(recording("token_conf_plain"), true) : up;
  const auto id = clear.find(ydl::testing::from_hex("18052210")) + 4;  // in the connection context
  std::ranges::copy(clear.substr(id, 16), options.client.bytes.begin());
  return options;
}

struct Outcome {
  std::string said;
  std::vector<SessionFsm::Answer> answers;
  std::optional<core::Error> failure;
};

// Plays the server's part of a recording. When the session is open, it makes the two calls of the recording.
Outcome play(SessionFsm& session, const std::vector<std::string>& server) {
  Outcome outcome;
  outcome.said = session.start();
  int calls = 0;
  const auto call = [&](const std::string& request) {
    outcome.said += session.send({CallId{calls}, 0}, kGetFileInfo, request).value();
    ++calls;
  };
  if (session.open()) call(kPathA);
  for (const auto& bytes : server) {
    auto step = session.feed(bytes);
    outcome.said += step.output;
    for (auto& answer : step.answers) outcome.answers.push_back(std::move(answer));
    outcome.failure = step.failure;
    if (step.failure) break;
    if (session.open() && calls == 0) {
      call(kPathA);
    } else if (session.open() && calls == 1) {
      call(kPathErr);
    }
  }
  return outcome;
}

std::vector<std::string> server_side(const Scenario& scenario, std::size_t at_most = 100) {
  std::vector<std::string> said;
  for (auto& read : recording(scenario.name)) {
    if (!read.from_client && said.size() < at_most) said.push_back(std::move(read.bytes));
  }
  return said;
}

class Replay : public ::testing::TestWithParam<Scenario> {};

TEST_P(Replay, the_bytes_equal_those_of_java_and_the_answers_are_decoded) {
  SessionFsm session(options_of(GetParam()));
  const std::size_t reads = std::string_view(GetParam().name) == "simple" ? 2 : 100;
  const auto outcome = play(session, server_side(GetParam(), reads));
  ASSERT_FALSE(outcome.failure) << outcome.failure->message;
  ASSERT_EQ(outcome.answers.size(), 2U);
  EXPECT_EQ(outcome.answers[0].id, CallId{0});
  EXPECT_EQ(outcome.answers[0].result, "");
  EXPECT_EQ(outcome.answers[1].id, CallId{1});
  ASSERT_FALSE(outcome.answers[1].result);
  EXPECT_EQ(outcome.answers[1].result.error().code, Errc::not_found);

  const std::string java = test::said(recording(GetParam().name), true);
  if (GetParam().protection == Protection::authentication) {
    EXPECT_TRUE(java.starts_with(outcome.said));
    EXPECT_GT(outcome.said.size(), 200U);
  }
}

TEST_P(Replay, works_for_any_division_of_the_bytes) {
  std::string all;
  const std::size_t reads = std::string_view(GetParam().name) == "simple" ? 2 : 100;
  for (const auto& bytes : server_side(GetParam(), reads)) all += bytes;
  for (const std::size_t piece : {1U, 3U, 7U, 100U, 5000U}) {
    std::vector<std::string> pieces;
    for (std::size_t at = 0; at < all.size(); at += piece) pieces.push_back(all.substr(at, piece));
    SessionFsm session(options_of(GetParam()));
    const auto outcome = play(session, pieces);
    EXPECT_FALSE(outcome.failure);
    EXPECT_EQ(outcome.answers.size(), 2U);
  }
}

TEST_P(Replay, a_refusal_of_the_server_at_any_step_ends_the_session) {
  const auto server = server_side(GetParam());
  for (std::size_t i = 0; i < server.size(); ++i) {
    for (const auto id : {kSaslCall, kContextCall}) {
      auto script = server;
      script[i] = test::fatal_reply(id, "org.apache.hadoop.security.AccessControlException", "not you\n\tat Java");
      SessionFsm session(options_of(GetParam()));
      const auto outcome = play(session, script);
      ASSERT_TRUE(outcome.failure) << GetParam().name << " message " << i;
      EXPECT_THAT(outcome.failure->message, HasSubstr("AccessControlException: not you"));
      EXPECT_LE(outcome.answers.size(), i);
    }
  }
}

TEST_P(Replay, a_flipped_bit_in_the_handshake_never_opens_the_session_silently) {
  if (std::string_view(GetParam().name) == "simple") return;
  const auto server = server_side(GetParam());
  // The last bytes of the second message belong to the proof.
  for (std::size_t back = 1; back <= 32; ++back) {
    auto script = server;
    char& byte = script[1][script[1].size() - back];
    byte = static_cast<char>(byte ^ 1);
    SessionFsm session(options_of(GetParam()));
    const auto outcome = play(session, script);
    ASSERT_TRUE(outcome.failure);
    EXPECT_EQ(outcome.failure->code, Errc::unauthenticated);
    EXPECT_FALSE(session.open());
  }
}

INSTANTIATE_TEST_SUITE_P(All, Replay,
                         ::testing::Values(Scenario{"simple", Protection::authentication},
                                           Scenario{"token_auth", Protection::authentication},
                                           Scenario{"tokenonly_auth", Protection::authentication},
                                           Scenario{"token_int", Protection::integrity},
                                           Scenario{"token_conf", Protection::privacy}),
                         [](const auto& info) { return std::string(info.param.name); });

SessionFsm simple_session() {
  return SessionFsm(options_of({"simple", Protection::authentication}));
}

TEST(SessionFsm, answers_may_arrive_in_any_order) {
  auto session = simple_session();
  (void)session.start();
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(session.send({CallId{i}, 0}, kGetFileInfo, kPathA));
  const auto step = session.feed(test::reply(CallId{2}, "two") + test::reply(CallId{0}, "zero") +
                                 test::error_reply(CallId{1}, "java.io.FileNotFoundException", "no"));
  EXPECT_FALSE(step.failure);
  ASSERT_EQ(step.answers.size(), 3U);
  EXPECT_EQ(step.answers[0].id, CallId{2});
  EXPECT_EQ(step.answers[1].result, "zero");
  EXPECT_EQ(step.answers[2].result.error().code, Errc::not_found);
}

TEST(SessionFsm, a_fatal_answer_fails_its_call_and_ends_the_session) {
  auto session = simple_session();
  (void)session.start();
  const auto step =
      session.feed(test::fatal_reply(CallId{7}, "org.apache.hadoop.ipc.RpcServerException", "bad header"));
  ASSERT_EQ(step.answers.size(), 1U);
  EXPECT_EQ(step.answers[0].id, CallId{7});
  ASSERT_TRUE(step.failure);
  EXPECT_EQ(step.failure->code, Errc::connection_lost);
  EXPECT_THAT(step.failure->message, HasSubstr("bad header"));
}

TEST(SessionFsm, a_refused_user_fails_the_connection_with_its_reason) {
  auto session = simple_session();
  (void)session.start();
  const auto step = session.feed(test::fatal_reply(
      kContextCall, "org.apache.hadoop.security.authorize.AuthorizationException", "User: alice is not allowed"));
  ASSERT_TRUE(step.failure);
  EXPECT_EQ(step.failure->code, Errc::access_denied);
  EXPECT_TRUE(step.answers.empty());
}

TEST(SessionFsm, an_answer_without_a_call_is_an_error) {
  auto session = simple_session();
  (void)session.start();
  const auto step = session.feed(test::reply(kPingCall, ""));
  ASSERT_TRUE(step.failure);
  EXPECT_EQ(step.failure->code, Errc::corrupt);
}

TEST(SessionFsm, an_unprotected_answer_on_a_protected_connection_is_refused) {
  const Scenario scenario{"token_int", Protection::integrity};
  auto script = server_side(scenario);
  script[2] = test::reply(CallId{0}, "forged");
  SessionFsm session(options_of(scenario));
  const auto outcome = play(session, script);
  ASSERT_TRUE(outcome.failure);
  EXPECT_EQ(outcome.failure->code, Errc::corrupt);
  EXPECT_TRUE(outcome.answers.empty());
}

// Only the length of a frame, without its bytes.
std::string announced(std::uint32_t length) {
  std::string bytes;
  for (const unsigned shift : {24U, 16U, 8U, 0U}) bytes.push_back(static_cast<char>(length >> shift & 0xffU));
  return bytes;
}

TEST(SessionFsm, a_frame_over_1_mib_is_refused_until_the_handshake_is_over) {
  const Scenario scenario{"token_int", Protection::integrity};
  const auto script = server_side(scenario);
  auto options = options_of(scenario);
  options.max_response = 8U << 20U;
  SessionFsm first(options);
  (void)first.start();
  EXPECT_FALSE(first.feed(announced(1U << 20U)).failure);
  SessionFsm session(options);
  (void)session.start();
  const auto refused = session.feed(announced((1U << 20U) + 1));
  ASSERT_TRUE(refused.failure);
  EXPECT_EQ(refused.failure->code, Errc::not_hadoop);
  SessionFsm later(options);
  (void)later.start();
  (void)later.feed(script[0]);
  const auto step = later.feed(announced((1U << 20U) + 1));
  ASSERT_TRUE(step.failure);
  EXPECT_EQ(step.failure->code, Errc::corrupt);
  SessionFsm opened(options);
  (void)opened.start();
  (void)opened.feed(script[0]);
  (void)opened.feed(script[1]);
  ASSERT_TRUE(opened.open());
  EXPECT_FALSE(opened.feed(announced((1U << 20U) + 1)).failure);
}

TEST(SessionFsm, an_unprotected_exception_on_a_protected_connection_does_not_answer_a_call) {
  const Scenario scenario{"token_int", Protection::integrity};
  auto script = server_side(scenario);
  script[2] = test::error_reply(CallId{0}, "java.io.FileNotFoundException", "forged");
  SessionFsm session(options_of(scenario));
  const auto outcome = play(session, script);
  ASSERT_TRUE(outcome.failure);
  EXPECT_EQ(outcome.failure->code, Errc::connection_lost);
  EXPECT_TRUE(outcome.answers.empty());
}

TEST(SessionFsm, a_request_larger_than_one_wrapped_message_is_sent_in_pieces) {
  const Scenario scenario{"token_int", Protection::integrity};
  SessionFsm session(options_of(scenario));
  (void)session.start();
  const auto server = server_side(scenario);
  (void)session.feed(server[0]);
  (void)session.feed(server[1]);
  ASSERT_TRUE(session.open());
  const auto bytes = session.send({CallId{0}, 0}, kGetFileInfo, std::string(150'000, 'x'));
  ASSERT_TRUE(bytes);
  EXPECT_EQ(test::frames_of(*bytes).size(), 3U);
}

}  // namespace
}  // namespace ydl::hrpc
