#include "client/yarn/foreign_job.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::client {
namespace {

using ::testing::HasSubstr;

const std::string kPrint(64, 'a');

yarn::AppReport running() {
  yarn::AppReport report;
  report.user = "alice";
  report.name = "train";
  report.tags = {fingerprint_tag(kPrint), "ydl", "train-03fa"};
  report.state = yarn::AppState::running;
  report.host = "10.0.0.7";
  report.port = 4711;
  report.client_token = hrpc::Token{.identifier = "id", .password = "pw", .kind = "YARN_CLIENT_TOKEN", .service = ""};
  return report;
}

TEST(ForeignJob, a_viewer_finds_the_master_by_the_report) {
  const auto job = foreign_job(running(), "bob");
  ASSERT_TRUE(job);
  EXPECT_EQ(job->id, "train-03fa");
  ASSERT_TRUE(job->master);
  EXPECT_EQ(*job->master, (net::Endpoint{"10.0.0.7", 4711, "yarn.aWQ=.cHc=", kPrint}));
  EXPECT_EQ(job->rest, "");
}

TEST(ForeignJob, a_users_own_job_and_other_programs_applications_are_not_foreign_jobs) {
  EXPECT_FALSE(foreign_job(running(), "alice"));
  auto other = running();
  other.tags = {"spark"};
  EXPECT_FALSE(foreign_job(other, "bob"));
}

TEST(ForeignJob, no_token_is_sent_to_a_master_whose_certificate_is_not_known) {
  for (const auto& tag : {std::string("nightly"), std::string("ydl:sha256:"), "ydl:sha256:" + std::string(64, 'x'),
                          "ydl:sha256:" + std::string(63, 'a')}) {
    auto report = running();
    report.tags.front() = tag;
    EXPECT_FALSE(foreign_job(report, "bob")->master) << tag;
  }
}

TEST(ForeignJob, a_user_without_permission_to_view_is_told_how_to_get_it) {
  auto report = running();
  report.client_token.reset();
  const auto job = foreign_job(report, "bob");
  EXPECT_FALSE(job->master);
  EXPECT_THAT(job->rest, HasSubstr("'view' of the job's ACL does not allow bob, which only alice can change"));
}

TEST(ForeignJob, after_the_end_it_says_where_the_rest_is) {
  auto report = running();
  report.state = yarn::AppState::finished;
  report.final_status = yarn::FinalStatus::failed;
  report.diagnostics = "worker:0 failed";
  const auto job = foreign_job(report, "bob");
  EXPECT_FALSE(job->master);
  EXPECT_THAT(job->rest,
              HasSubstr("in .ydl/jobs/train-03fa of alice's home folder on HDFS, which only alice can read"));
  const auto view = view_of(*job);
  EXPECT_EQ(view.state, core::JobState::failed);
  EXPECT_EQ(view.reason, "worker:0 failed");
  EXPECT_EQ(view.exit_code, 1);
}

}  // namespace
}  // namespace ydl::client
