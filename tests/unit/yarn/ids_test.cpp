#include "yarn/ids.hpp"

#include "yarn/resource.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::yarn {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kStart = 1700000000000;
constexpr ApplicationId kApplication{kStart, 12};
constexpr ApplicationAttemptId kAttempt{kApplication, 3};

// The texts are from Hadoop's own classes.
TEST(YarnIds, are_written_as_hadoop_writes_them) {
  EXPECT_EQ(kApplication.str(), "application_1700000000000_0012");
  EXPECT_EQ((ApplicationId{kStart, 123456}).str(), "application_1700000000000_123456");
  EXPECT_EQ(kAttempt.str(), "appattempt_1700000000000_0012_000003");
  EXPECT_EQ((ContainerId{kAttempt, 5}).str(), "container_1700000000000_0012_03_000005");
  EXPECT_EQ((ContainerId{kAttempt, (std::int64_t{17} << 40) | 1234567}).str(),
            "container_e17_1700000000000_0012_03_1234567");
  EXPECT_EQ((NodeId{"host1", 45454}).str(), "host1:45454");
}

TEST(YarnIds, are_read_as_they_are_written) {
  for (const auto& id : {ContainerId{kAttempt, 5}, ContainerId{kAttempt, (std::int64_t{17} << 40) | 1234567},
                         ContainerId{{{kStart, 123456}, 100}, 9999999}}) {
    const auto again = ContainerId::parse(id.str());
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(*again, id);
  }
  EXPECT_EQ(ApplicationId::parse("application_1700000000000_0012").value(), kApplication);
  EXPECT_EQ(ApplicationAttemptId::parse("appattempt_1700000000000_0012_000003").value(), kAttempt);
}

TEST(YarnIds, other_texts_are_errors_with_an_example) {
  for (const auto* text : {"", "application", "application_", "application_1_", "application__1", "application_1_2_3",
                           "job_1700000000000_0012", "application_-1_2", "application_1_2x",
                           "application_1_99999999999", "application_ 1_2", "application_+1_2"}) {
    const auto id = ApplicationId::parse(text);
    ASSERT_FALSE(id) << text;
    EXPECT_THAT(id.error().message, HasSubstr("application_1700000000000_0012")) << text;
  }
  for (const auto* text :
       {"container_1_1_1", "container_e_1_1_1_1", "container_e99999999999_1_1_1_1", "container_x1_1_1_1_1",
        "container_1_1_1_1_1", "container_1_1_1_99999999999999", "container_e1_1_1_1", "appattempt_1_1_1"}) {
    EXPECT_FALSE(ContainerId::parse(text)) << text;
  }
}

TEST(Resource, the_first_type_that_does_not_fit_is_found) {
  const Resource node{.memory_mib = 8192, .vcores = 4, .others = {{"yarn.io/gpu", 1}}};
  EXPECT_TRUE(fits({.memory_mib = 8192, .vcores = 4, .others = {{"yarn.io/gpu", 1}}}, node));
  EXPECT_EQ(what_does_not_fit({.memory_mib = 8193}, node), "memory-mb");
  EXPECT_EQ(what_does_not_fit({.vcores = 5}, node), "vcores");
  EXPECT_EQ(what_does_not_fit({.others = {{"yarn.io/gpu", 2}}}, node), "yarn.io/gpu");
  EXPECT_EQ(what_does_not_fit({.others = {{"yarn.io/fpga", 1}}}, node), "yarn.io/fpga");
  EXPECT_TRUE(fits({.others = {{"yarn.io/fpga", 0}}}, node));
}

TEST(Resource, the_scarcest_type_limits_how_many_fit) {
  const Resource node{.memory_mib = 8192, .vcores = 4, .others = {{"yarn.io/gpu", 1}}};
  EXPECT_EQ(times_it_fits({.memory_mib = 1024, .vcores = 1}, node, 100), 4);
  EXPECT_EQ(times_it_fits({.memory_mib = 3000}, node, 100), 2);
  EXPECT_EQ(times_it_fits({.memory_mib = 1, .others = {{"yarn.io/gpu", 1}}}, node, 100), 1);
  EXPECT_EQ(times_it_fits({.memory_mib = 1}, {.memory_mib = -5}, 100), 0);
  EXPECT_EQ(times_it_fits({}, node, 7), 7);
}

TEST(Resource, is_printed_in_a_readable_form) {
  EXPECT_EQ(to_string({.memory_mib = 2048, .vcores = 1, .others = {{"yarn.io/gpu", 2}, {"yarn.io/fpga", 0}}}),
            "2 GiB, 1 vcore, 2 yarn.io/gpu");
  EXPECT_EQ(amount_of({.memory_mib = 1536}, kMemory), "1.5 GiB of memory");
  EXPECT_EQ(amount_of({.vcores = 3}, kVcores), "3 vcores");
}

TEST(Resource, arithmetic_is_per_type) {
  const Resource a{.memory_mib = 3, .vcores = 2, .others = {{"x", 1}}};
  const Resource b{.memory_mib = 1, .vcores = 1, .others = {{"y", 2}}};
  EXPECT_EQ(a + b, (Resource{.memory_mib = 4, .vcores = 3, .others = {{"x", 1}, {"y", 2}}}));
  EXPECT_EQ(a - b, (Resource{.memory_mib = 2, .vcores = 1, .others = {{"x", 1}, {"y", -2}}}));
  EXPECT_EQ(a * 3, (Resource{.memory_mib = 9, .vcores = 6, .others = {{"x", 3}}}));
  EXPECT_EQ(share_of({.memory_mib = 1001, .vcores = 3}, 0.5), (Resource{.memory_mib = 500, .vcores = 1}));
}

TEST(Resource, units_of_the_cluster_are_converted_to_whole_units) {
  EXPECT_EQ(in_whole_units(3, ""), 3);
  EXPECT_EQ(in_whole_units(3, "k"), 3000);
  EXPECT_EQ(in_whole_units(2, "Ki"), 2048);
  EXPECT_EQ(in_whole_units(2500, "m"), 2);
  EXPECT_EQ(in_whole_units(INT64_MAX, "Pi"), INT64_MAX);
  EXPECT_EQ(in_whole_units(1, "furlong"), std::nullopt);
}

}  // namespace
}  // namespace ydl::yarn
