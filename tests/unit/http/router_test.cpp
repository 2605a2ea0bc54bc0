#include "http/router.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

namespace ydl::http {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

net::awaitable<Response> say_nothing(Request) {
  co_return Response{};
}

Router router_of(const std::vector<std::pair<std::string, std::string>>& routes) {
  Router router;
  for (const auto& [method, pattern] : routes) router.add(method, pattern, say_nothing);
  return router;
}

Router api() {
  return router_of(
      {{"GET", "/v1/job"}, {"POST", "/v1/job/stop"}, {"GET", "/v1/tasks/{task}/logs"}, {"GET", "/v1/a/{x}/b/{y}"}});
}

TEST(Router, a_literal_path_matches_itself_only) {
  const auto router = api();
  ASSERT_TRUE(router.match("GET", "/v1/job"));
  EXPECT_THAT(router.match("GET", "/v1/job")->captures, IsEmpty());
  for (const auto* other : {"/v1", "/v1/jobs", "/v1/job/x", "/", "", "/v1/tasks/worker:0"}) {
    EXPECT_FALSE(router.match("GET", other)) << other;
  }
}

TEST(Router, empty_segments_are_ignored) {
  EXPECT_TRUE(api().match("GET", "/v1/job/"));
  EXPECT_TRUE(api().match("GET", "//v1///job"));
}

TEST(Router, braces_capture_one_segment_each) {
  const auto router = api();
  EXPECT_THAT(router.match("GET", "/v1/tasks/worker:0/logs")->captures, UnorderedElementsAre(Pair("task", "worker:0")));
  EXPECT_THAT(router.match("GET", "/v1/a/1/b/2")->captures, UnorderedElementsAre(Pair("x", "1"), Pair("y", "2")));
  EXPECT_FALSE(router.match("GET", "/v1/tasks/worker/0/logs"));
  EXPECT_FALSE(router.match("GET", "/v1/tasks//logs"));
}

TEST(Router, captures_are_not_patterns) {
  EXPECT_THAT(api().match("GET", "/v1/tasks/{task}/logs")->captures, UnorderedElementsAre(Pair("task", "{task}")));
  EXPECT_THAT(api().match("GET", "/v1/tasks/../logs")->captures, UnorderedElementsAre(Pair("task", "..")));
}

TEST(Router, a_path_may_accept_several_methods) {
  Router router;
  router.add("GET", "/x", say_nothing);
  router.add("POST", "/x", say_nothing);
  const auto get = router.match("GET", "/x");
  const auto post = router.match("POST", "/x");
  ASSERT_TRUE(get && post);
  EXPECT_NE(get->handler, post->handler);
}

TEST(Router, a_wrong_method_is_refused_and_an_unknown_path_not_found) {
  const auto wrong_method = api().match("POST", "/v1/job");
  ASSERT_FALSE(wrong_method);
  EXPECT_EQ(wrong_method.error().code, core::Errc::refused);
  EXPECT_EQ(wrong_method.error().message, "/v1/job does not accept the method POST");
  const auto lower_case = api().match("get", "/v1/job");
  EXPECT_EQ(lower_case.error().code, core::Errc::refused);
  const auto unknown = api().match("GET", "/v2/job");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, core::Errc::not_found);
  EXPECT_EQ(unknown.error().message, "there is nothing at /v2/job");
}

TEST(Router, the_first_route_added_wins) {
  Router router;
  router.add("GET", "/{any}", say_nothing);
  router.add("GET", "/job", say_nothing);
  EXPECT_THAT(router.match("GET", "/job")->captures, UnorderedElementsAre(Pair("any", "job")));
}

TEST(ParseTarget, splits_path_and_query) {
  const auto target = parse_target("/v1/events?after=12&wait=1000");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->path, "/v1/events");
  EXPECT_THAT(target->query, UnorderedElementsAre(Pair("after", "12"), Pair("wait", "1000")));
}

TEST(ParseTarget, decodes_percent_signs_in_path_keys_and_values) {
  const auto target = parse_target("/v1/tasks/worker%3A0/logs?str%65am=std%6Fut&x=%E4%BD%A0&e=%3D%26");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->path, "/v1/tasks/worker:0/logs");
  EXPECT_THAT(target->query,
              UnorderedElementsAre(Pair("stream", "stdout"), Pair("x", "\xE4\xBD\xA0"), Pair("e", "=&")));
}

TEST(ParseTarget, a_key_may_have_no_value_and_the_last_of_two_values_is_used) {
  const auto target = parse_target("/x?flag&empty=&twice=1&twice=2");
  ASSERT_TRUE(target);
  EXPECT_THAT(target->query, UnorderedElementsAre(Pair("flag", ""), Pair("empty", ""), Pair("twice", "2")));
}

TEST(ParseTarget, a_query_may_be_empty) {
  EXPECT_EQ(parse_target("/x")->query.size(), 0U);
  EXPECT_EQ(parse_target("/x?")->path, "/x");
}

TEST(ParseTarget, other_forms_of_a_target_are_refused) {
  for (const auto* text : {"", "*", "x", "http://127.0.0.1/v1/job", "/a b", "/%", "/%4", "/%zz", "/x?%", "/x#y", "/\n"})
    EXPECT_FALSE(parse_target(text)) << text;
  EXPECT_FALSE(parse_target(std::string_view("/\0x", 3)));
}

TEST(Response, an_error_is_a_json_object_with_a_sentence) {
  const auto response = Response::error(404, "there is no \"x\"");
  EXPECT_EQ(response.status, 404U);
  EXPECT_EQ(response.body, R"({"error":"there is no \"x\""})");
  EXPECT_THAT(response.content_type, HasSubstr("json"));
}

}  // namespace
}  // namespace ydl::http
