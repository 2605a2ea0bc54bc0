#include "http/gate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::http {
namespace {

using ::testing::HasSubstr;

net::awaitable<Response> say_nothing(Request) {
  co_return Response{};
}

class GateTest : public testing::Test {
 protected:
  GateTest() {
    router_.add("GET", "/v1/job", say_nothing);
    router_.add("POST", "/v1/job/stop", say_nothing);
    router_.add("POST", "/v1/agents/{id}/exchange", say_nothing, {1000, "id"});
  }
  Verdict judge(Head head) { return gate_.judge(head, router_); }
  static Refused refused(const Verdict& verdict) {
    const auto* one = std::get_if<Refused>(&verdict);
    if (one == nullptr) ADD_FAILURE() << "it was not refused";
    return one == nullptr ? Refused{} : *one;
  }

  Router router_;
  Gate gate_{"s3cret", [](std::string_view id) { return "key of " + std::string(id); }};
};

TEST_F(GateTest, an_unauthenticated_caller_gets_the_same_answer_for_every_path) {
  for (const auto* target : {"/v1/job", "/nothing", "/%zz", "/", "*"}) {
    for (const auto* key : {"", "Bearer ", "Bearer s3cre", "Bearer s3crett", "bearer s3cret", "Basic s3cret"}) {
      const auto answer = refused(judge({"GET", target, key, 1ULL << 40U}));
      EXPECT_EQ(answer.status, 401U) << target << " " << key;
      EXPECT_EQ(answer.standing, Standing::unauthenticated);
    }
  }
  EXPECT_EQ(refused(judge({"GET", "/", "Bearer x"})).event, Refusal::wrong_key);
  EXPECT_EQ(refused(judge({"GET", "/", ""})).event, Refusal::no_key);
}

TEST_F(GateTest, a_browser_without_a_key_gets_a_greeting_only_at_the_root) {
  gate_.greets = true;
  EXPECT_TRUE(std::holds_alternative<Greeted>(judge({"GET", "/", ""})));
  EXPECT_TRUE(std::holds_alternative<Refused>(judge({"POST", "/", ""})));
  EXPECT_TRUE(std::holds_alternative<Refused>(judge({"GET", "/v1/job", ""})));
}

TEST_F(GateTest, each_call_has_its_own_limit) {
  EXPECT_TRUE(std::holds_alternative<Accepted>(judge({"POST", "/v1/job/stop", "Bearer s3cret", kSmallBody})));
  const auto answer = refused(judge({"POST", "/v1/job/stop", "Bearer s3cret", kSmallBody + 1}));
  EXPECT_EQ(answer.status, 413U);
  EXPECT_THAT(answer.sentence, HasSubstr("this call accepts at most 4 KiB"));
  EXPECT_EQ(answer.standing, Standing::authenticated);
  EXPECT_TRUE(std::holds_alternative<Accepted>(judge({"POST", "/v1/agents/a/exchange", "Bearer s3cret", 1000})));
  EXPECT_EQ(refused(judge({"POST", "/v1/agents/a/exchange", "Bearer s3cret", 1001})).status, 413U);
}

TEST_F(GateTest, a_body_without_an_announced_length_reserves_the_maximum) {
  const auto announced = judge({"POST", "/v1/agents/a/exchange", "Bearer s3cret", 7});
  EXPECT_EQ(std::get<Accepted>(announced).reserve, 7U);
  const auto chunked = judge({"POST", "/v1/agents/a/exchange", "Bearer s3cret", std::nullopt, true});
  EXPECT_EQ(std::get<Accepted>(chunked).reserve, 1000U);
}

TEST_F(GateTest, an_agents_key_is_valid_only_for_its_own_calls) {
  EXPECT_TRUE(std::holds_alternative<Accepted>(judge({"POST", "/v1/agents/a/exchange", "Bearer key of a"})));
  for (const auto* target :
       {"/v1/agents/b/exchange", "/v1/job/stop", "/v1/agents/a/nothing", "/v1/agents/a/../b/exchange"})
    EXPECT_EQ(refused(judge({"POST", target, "Bearer key of a"})).status, 401U) << target;
  EXPECT_EQ(refused(judge({"GET", "/v1/job", "Bearer key of a"})).status, 401U);
  EXPECT_EQ(refused(judge({"POST", "/v1/agents/a/exchange", "Bearer key of b"})).status, 401U);
}

TEST_F(GateTest, a_guest_may_view_the_job_and_modify_it_if_permitted) {
  Router router;
  router.add("GET", "/v1/job", say_nothing, {.open_to = OpenTo::viewers});
  router.add("POST", "/v1/job/stop", say_nothing, {.open_to = OpenTo::modifiers});
  router.add("POST", "/v1/agents/{id}/exchange", say_nothing, {1000, "id"});
  gate_.guest_of = [](std::string_view key) -> std::optional<Guest> {
    if (key == "of bob") return Guest{"bob", false};
    if (key == "of alice") return Guest{"alice", true};
    if (key == "of nameless") return Guest{"", true};
    return std::nullopt;
  };
  const auto judged = [&](Head head) { return gate_.judge(head, router); };
  EXPECT_EQ(std::get<Accepted>(judged({"GET", "/v1/job", "Bearer of bob"})).guest, "bob");
  EXPECT_EQ(std::get<Accepted>(judged({"POST", "/v1/job/stop", "Bearer of alice"})).guest, "alice");
  EXPECT_EQ(std::get<Accepted>(judged({"POST", "/v1/job/stop", "Bearer s3cret"})).guest, "");
  const auto answer = refused(judged({"POST", "/v1/job/stop", "Bearer of bob"}));
  EXPECT_EQ(answer.status, 403U);
  EXPECT_THAT(answer.sentence, HasSubstr("'modify' of the job's ACL must name bob"));
  EXPECT_EQ(answer.event, Refusal::not_allowed);
  EXPECT_EQ(answer.standing, Standing::guest);
  EXPECT_EQ(refused(judged({"POST", "/v1/agents/a/exchange", "Bearer of alice"})).status, 403U);
  EXPECT_EQ(refused(judged({"GET", "/v1/job", "Bearer of carol"})).status, 401U);
  EXPECT_EQ(refused(judged({"GET", "/v1/job", "Bearer of nameless"})).status, 401U);
  EXPECT_EQ(refused(judged({"GET", "/v1/job", ""})).status, 401U);
  EXPECT_EQ(refused(judged({"POST", "/v1/job/stop", "Bearer of alice", kSmallBody + 1})).status, 413U);
}

TEST_F(GateTest, a_caller_with_a_valid_key_gets_specific_errors) {
  EXPECT_EQ(refused(judge({"GET", "/nothing", "Bearer s3cret"})).status, 404U);
  EXPECT_EQ(refused(judge({"GET", "/v1/job/stop", "Bearer s3cret"})).status, 405U);
  EXPECT_EQ(refused(judge({"GET", "/%zz", "Bearer s3cret"})).status, 400U);
}

}  // namespace
}  // namespace ydl::http
