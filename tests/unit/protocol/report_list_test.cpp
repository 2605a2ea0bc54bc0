#include "protocol/report_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::protocol {
namespace {

using ::testing::ElementsAre;

constexpr Epoch kEpoch{3};
const core::AttemptId kAttempt{{"worker", 0}, 1};
constexpr std::size_t kLimit = 1'000'000;

std::vector<std::string> notes_of(const ReportList& list) {
  std::vector<std::string> texts;
  const auto read = read_reports(list.body, kEpoch, [&](Sequence seq, const core::Result<Report>& report) {
    texts.push_back(std::to_string(seq) + (report ? " " + std::get<Note>(*report).text : report.error().message));
  });
  if (!read) texts.push_back(read.error().message);
  return texts;
}

TEST(ReportList, a_byte_that_is_not_utf8_does_not_make_the_list_unreadable) {
  Outbox<Report> reports;
  reports.push(Note{kAttempt, "cannot keep caf\xe9.txt"});
  reports.push(Note{kAttempt, "caf\xc3\xa9"});
  EXPECT_THAT(notes_of(encode_reports(kEpoch, reports, kLimit)),
              ElementsAre("1 cannot keep caf\xEF\xBF\xBD.txt", "2 caf\xc3\xa9"));
}

TEST(ReportList, takes_what_fits_and_at_least_one) {
  Outbox<Report> reports;
  for (const auto* text : {"one", "two", "three"}) reports.push(Note{kAttempt, text});
  const auto first = encode_reports(kEpoch, reports, 50);
  EXPECT_THAT(notes_of(first), ElementsAre("1 one"));
  EXPECT_EQ(first.last, 1U);
  reports.confirm(first.last);
  EXPECT_THAT(notes_of(encode_reports(kEpoch, reports, kLimit)), ElementsAre("2 two", "3 three"));
  reports.confirm(3);
  const auto heartbeat = encode_reports(kEpoch, reports, kLimit);
  EXPECT_THAT(notes_of(heartbeat), ElementsAre());
  EXPECT_EQ(heartbeat.last, 3U);
}

TEST(ReportList, what_is_not_a_list_is_refused) {
  for (const auto* text : {"", "[]", "{}", R"({"epoch":3,"first":1})", R"({"epoch":3,"first":0,"reports":[]})",
                           R"({"epoch":3,"reports":[]})", R"({"epoch":3,"first":1,"reports":{}})",
                           R"({"first":1,"reports":[]})", R"({"epoch":2,"first":1,"reports":[]})"}) {
    EXPECT_FALSE(read_reports(text, kEpoch, [](Sequence, const core::Result<Report>&) {})) << text;
  }
}

}  // namespace
}  // namespace ydl::protocol
