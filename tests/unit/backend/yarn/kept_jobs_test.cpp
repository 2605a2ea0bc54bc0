#include "backend/yarn/kept_jobs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::backend {
namespace {

using std::chrono::days;
using testing::ElementsAre;
using testing::IsEmpty;

const core::WallTime kNow{std::chrono::hours(1'000'000)};

std::vector<std::string> gone(const std::vector<KeptJob>& jobs, const Applications& applications, core::Millis keep) {
  std::vector<std::string> ids;
  for (const auto& job : outlived(jobs, applications, {kNow, keep})) ids.push_back(job.id);
  return ids;
}

TEST(KeptJobs, those_that_ended_long_ago_go_and_the_others_stay) {
  const std::vector<KeptJob> jobs{{"old", "app1", kNow - days(31)}, {"new", "app2", kNow - days(29)}};
  EXPECT_THAT(gone(jobs, {{}, {"app2"}}, days(30)), ElementsAre("old"));
}

TEST(KeptJobs, one_that_runs_stays_however_old_it_is) {
  EXPECT_THAT(gone({{"long", "app1", kNow - days(400)}}, {{"app1"}, {}}, days(1)), IsEmpty());
}

TEST(KeptJobs, one_that_may_be_on_its_way_stays) {
  const std::vector<KeptJob> jobs{{"staging", "app1", kNow - days(0)}, {"folder", "", kNow - days(0)}};
  EXPECT_THAT(gone(jobs, {}, days(0)), IsEmpty()) << "the ResourceManager has not heard of them yet";
  EXPECT_THAT(gone(jobs, {{}, {"app1"}}, days(0)), ElementsAre("staging"));
  EXPECT_THAT(gone({{"died", "", kNow - days(2)}}, {}, days(1)), ElementsAre("died"));
}

}  // namespace
}  // namespace ydl::backend
