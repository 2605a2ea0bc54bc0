#include "master/launch_places.hpp"

#include <gtest/gtest.h>

namespace ydl::master {
namespace {

job::Snapshot job_of(int tasks) {
  job::Snapshot snapshot;
  for (int i = 0; i < tasks; ++i) {
    auto& task = snapshot.tasks.emplace_back();
    task.id = {"worker", i};
    task.place = job::Place{"10.0.0.1", "n1", {4000}};
  }
  return snapshot;
}

TEST(LaunchPlaces, a_launch_sees_what_the_machine_saw_and_not_what_it_saw_later) {
  LaunchPlaces places;
  auto job = job_of(2);
  auto first = places.decided(job);
  job.tasks[1].attempt = 2;
  job.tasks[1].place->ports = {5000};
  auto second = places.decided(job);
  EXPECT_TRUE(places.tasks().empty());
  places.carry_out(std::move(first));
  ASSERT_EQ(places.tasks().size(), 2U);
  EXPECT_EQ(places.tasks()[1].attempt, 1);
  places.carry_out(std::move(second));
  EXPECT_EQ(places.tasks()[1].attempt, 2);
  EXPECT_EQ(places.tasks()[1].place->ports.front(), 5000);
}

TEST(LaunchPlaces, a_task_that_the_job_went_on_without_is_none_of_that_launch) {
  LaunchPlaces places;
  auto job = job_of(2);
  places.carry_out(places.decided(job));
  job.tasks[1].is_member = false;
  auto without = places.decided(job);
  job.tasks[1].is_member = true;
  auto with = places.decided(job);
  EXPECT_TRUE(places.tasks()[1].is_member);
  places.carry_out(std::move(without));
  EXPECT_FALSE(places.tasks()[1].is_member);
  places.carry_out(std::move(with));
  EXPECT_TRUE(places.tasks()[1].is_member);
}

TEST(LaunchPlaces, decisions_without_a_launch_change_nothing) {
  LaunchPlaces places;
  places.carry_out(places.decided(job_of(2)));
  places.carry_out({});
  EXPECT_EQ(places.tasks().size(), 2U);
}

TEST(LaunchPlaces, a_job_may_get_tasks_and_lose_them) {
  LaunchPlaces places;
  places.carry_out(places.decided(job_of(2)));
  places.carry_out(places.decided(job_of(3)));
  EXPECT_EQ(places.tasks().size(), 3U);
  EXPECT_EQ(places.tasks()[2].id, (core::TaskId{"worker", 2}));
  places.carry_out(places.decided(job_of(1)));
  EXPECT_EQ(places.tasks().size(), 1U);
}

// Many tasks restart alone while HDFS is away. Their hosts and ports are kept once, not once for each launch.
TEST(LaunchPlaces, what_waits_grows_with_what_changes_not_with_the_size_of_the_job) {
  LaunchPlaces places;
  constexpr int kTasks = 2'000;
  auto job = job_of(kTasks);
  std::size_t kept = places.decided(job).places.size();
  for (int i = 0; i < 20; ++i) {
    job.tasks[static_cast<std::size_t>(i)].attempt = 2;
    kept += places.decided(job).places.size();
  }
  EXPECT_EQ(kept, kTasks + 20U);
}

}  // namespace
}  // namespace ydl::master
