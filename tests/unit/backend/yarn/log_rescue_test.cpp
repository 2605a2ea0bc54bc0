#include "backend/yarn/log_rescue.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

namespace ydl::backend {
namespace {

std::string answer(std::string_view length, std::string_view content) {
  return fmt::format(
      "Container: container_1_0001_01_000002 on node:1\nLogAggregationType: LOCAL\n==========\nLogType:stdout\n"
      "LogLastModifiedTime:Sun Nov 15 13:04:55 +0000 2026\nLogLength:{}\nLogContents:\n{}End of "
      "LogType:stdout.\n*****\n\n",
      length, content);
}

TEST(LogRescue, takes_a_log_out_of_the_services_own_lines) {
  const auto text = answer("8", "one\ntwo\n");
  const auto log = parse_served_log(text);
  ASSERT_TRUE(log);
  EXPECT_EQ(log->length, 8U);
  EXPECT_EQ(log->end, "one\ntwo\n");
}

TEST(LogRescue, a_log_may_be_cut_be_empty_and_lack_a_line_end) {
  EXPECT_EQ(parse_served_log(answer("1000", "the end"))->end, "the end");
  EXPECT_EQ(parse_served_log(answer("1000", "the end"))->length, 1000U);
  EXPECT_EQ(parse_served_log(answer("0", ""))->end, "");
}

TEST(LogRescue, a_log_may_look_like_the_services_own_lines) {
  const std::string_view content = "LogLength:3\nLogContents:\nEnd of LogType:stdout.\n\nLogContents:\nx";
  EXPECT_EQ(parse_served_log(answer("100", content))->end, content);
}

TEST(LogRescue, other_answers_are_not_taken_for_logs) {
  for (const auto& text : {std::string(), std::string("<html></html>"), answer("x", "a"), answer("-1", "a"),
                           answer("1", "more than that"), std::string("\nLogLength:1\nLogContents:\na")}) {
    const auto log = parse_served_log(text);
    ASSERT_FALSE(log) << text;
    EXPECT_EQ(log.error().code, core::Errc::corrupt);
  }
}

}  // namespace
}  // namespace ydl::backend
