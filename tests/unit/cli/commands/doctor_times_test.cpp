// What `ydl doctor` says about the times after which a loss is noticed.
#include "cli/commands/doctor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::cli {
namespace {

using testing::HasSubstr;

std::vector<Finding> with(std::vector<std::pair<std::string, std::string>> values) {
  hconf::Config config([](const char*) { return std::optional<std::string>(); });
  for (auto& [key, value] : values) config.set(key, std::move(value));
  return explain_times(config);
}

TEST(DoctorTimes, the_defaults_of_hadoop) {
  const auto rows = with({});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].verdict, Verdict::good);
  EXPECT_EQ(rows[0].sentence,
            "ydl notices a lost host or agent after 1 min, YARN a lost host after 10 min to 13 min 20 s "
            "(yarn.nm.liveness-monitor.expiry-interval-ms); preemption is announced 15 s before");
  EXPECT_EQ(rows[1].verdict, Verdict::good);
  EXPECT_EQ(rows[1].sentence,
            "started up to 2 times in 10 min (yarn.resourcemanager.am.max-attempts); one that hangs is noticed after "
            "15 min to 20 min (yarn.am.liveness-monitor.expiry-interval-ms); tasks go on without one for 30 min "
            "(timeouts.orphan)");
}

TEST(DoctorTimes, the_values_of_the_cluster) {
  const auto rows = with({{"yarn.nm.liveness-monitor.expiry-interval-ms", "60000"},
                          {"yarn.scheduler.fair.waitTimeBeforeKill", "5000"},
                          {"yarn.resourcemanager.am.global.max-attempts", "5"}});
  EXPECT_THAT(rows[0].sentence, HasSubstr("a lost host after 1 min to 1 min 20 s"));
  EXPECT_THAT(rows[0].sentence, HasSubstr("announced 15 s (CapacityScheduler) or 5 s (FairScheduler) before"));
  EXPECT_THAT(rows[1].sentence, HasSubstr("up to 5 times in 10 min (yarn.resourcemanager.am.global.max-attempts)"));
}

TEST(DoctorTimes, a_cluster_that_starts_a_master_only_once_limits_its_jobs) {
  const auto rows = with({{"yarn.resourcemanager.am.max-attempts", "1"}});
  EXPECT_EQ(rows[1].verdict, Verdict::limited);
  EXPECT_EQ(rows[1].sentence,
            "a job whose master is lost fails: the cluster starts it only once (yarn.resourcemanager.am.max-attempts "
            "is 1)");
}

TEST(DoctorTimes, a_value_that_is_not_a_time_is_named) {
  const auto rows = with({{"yarn.nm.liveness-monitor.expiry-interval-ms", "soon"}});
  EXPECT_EQ(rows[0].verdict, Verdict::broken);
  EXPECT_THAT(rows[0].sentence, HasSubstr("yarn.nm.liveness-monitor.expiry-interval-ms"));
}

}  // namespace
}  // namespace ydl::cli
