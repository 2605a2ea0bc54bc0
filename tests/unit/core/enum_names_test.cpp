#include "core/cluster_kind.hpp"
#include "core/job_states.hpp"
#include "core/roles.hpp"

#include <gtest/gtest.h>

namespace ydl::core {
namespace {

template <class E>
class EnumNamesTest : public testing::Test {};
using Enums = testing::Types<JobState, TaskState, RecordKind, ClusterKind, RoleKind>;
TYPED_TEST_SUITE(EnumNamesTest, Enums);

TYPED_TEST(EnumNamesTest, every_value_has_a_name_that_is_parsed_to_it) {
  const auto& names = EnumNames<TypeParam>::kNames;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto value = static_cast<TypeParam>(i);
    EXPECT_FALSE(names.at(i).empty());
    EXPECT_EQ(name(value), names.at(i));
    EXPECT_EQ(parse_name<TypeParam>(name(value)), value) << name(value) << " is the name of two values";
  }
}

TYPED_TEST(EnumNamesTest, unknown_names_are_not_parsed) {
  for (const auto* text : {"", "Running", "running ", "hibernating"}) EXPECT_FALSE(parse_name<TypeParam>(text)) << text;
}

TEST(Named, keeps_a_name_of_another_version) {
  const auto named = Named<JobState>::parse("hibernating");
  EXPECT_EQ(named.name(), "hibernating");
  EXPECT_FALSE(named.value());
  EXPECT_FALSE(is_final(named));
  for (std::size_t i = 0; i < EnumNames<JobState>::kNames.size(); ++i) EXPECT_NE(named, static_cast<JobState>(i));
  EXPECT_NE(named, Named<JobState>::parse("dreaming"));
}

TEST(Named, equals_the_value_of_the_same_name) {
  const auto named = Named<JobState>::parse("stopped");
  EXPECT_EQ(named, JobState::stopped);
  EXPECT_EQ(named, Named(JobState::stopped));
  EXPECT_EQ(named.name(), "stopped");
  EXPECT_TRUE(is_final(named));
}

TEST(JobStates, only_states_that_a_master_reports_are_final) {
  using enum JobState;
  for (const auto state : {succeeded, failed, stopped}) EXPECT_TRUE(is_final(state)) << name(state);
  for (const auto state : {placing, starting, running, finishing, stopping, restarting, lost})
    EXPECT_FALSE(is_final(state)) << name(state);
}

TEST(TaskStates, a_lost_task_has_ended) {
  using enum TaskState;
  for (const auto state : {succeeded, failed, stopped, lost}) EXPECT_TRUE(is_final(state)) << name(state);
  for (const auto state : {waiting, placed, starting, running, stopping}) EXPECT_FALSE(is_final(state)) << name(state);
}

TEST(RecordKinds, announce_the_states_in_their_names) {
  EXPECT_EQ(job_state_of(RecordKind::job_restarting), JobState::restarting);
  EXPECT_EQ(job_state_of(RecordKind::job_stopped), JobState::stopped);
  EXPECT_EQ(task_state_of(RecordKind::task_lost), TaskState::lost);
  EXPECT_EQ(task_state_of(RecordKind::task_placed), TaskState::placed);
  for (const auto kind : {RecordKind::job_created, RecordKind::job_master_up, RecordKind::task_running,
                          RecordKind::task_lost, RecordKind::note})
    EXPECT_EQ(job_state_of(kind), std::nullopt) << name(kind);
  for (const auto kind : {RecordKind::task_granted, RecordKind::task_retry, RecordKind::job_running, RecordKind::note})
    EXPECT_EQ(task_state_of(kind), std::nullopt) << name(kind);
}

TEST(ClusterKinds, have_a_title_for_sentences) {
  EXPECT_EQ(title(ClusterKind::local), "this machine");
  EXPECT_EQ(title(ClusterKind::yarn), "YARN");
  EXPECT_EQ(title(Named<ClusterKind>::parse("slurm")), "slurm");
}

}  // namespace
}  // namespace ydl::core
