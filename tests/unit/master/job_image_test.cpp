#include "master/job_image.hpp"

#include "master/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::master {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

spec::JobSpec job_in(spec::Image image) {
  spec::JobSpec job;
  job.command = {"python", "train.py"};
  job.roles.emplace_back().name = "worker";
  job.image = std::move(image);
  return job;
}

TEST(JobImage, podman_and_docker_are_the_agents) {
  auto job = job_in({.name = "python:3", .runtime = "podman", .mounts = {"/a:/b", "/c:/d:rw"}, .pull = "never"});
  job.image->options = {"--shm-size=1g"};
  const auto image = image_for_agent(job);
  ASSERT_TRUE(image);
  EXPECT_EQ(image->runtime, "podman");
  EXPECT_EQ(image->image, "python:3");
  EXPECT_EQ(image->network, "host");
  EXPECT_EQ(image->pull, protocol::Image::Pull::never);
  EXPECT_THAT(image->options, ElementsAre("--volume=/a:/b:ro", "--volume=/c:/d:rw", "--shm-size=1g"));
  EXPECT_FALSE(image_for_node_manager(job));
}

TEST(JobImage, without_a_runtime_it_is_the_node_managers) {
  for (const auto& runtime : {std::optional<std::string>(), std::optional<std::string>("nodemanager")}) {
    const auto job = job_in({.name = "python:3", .runtime = runtime, .mounts = {"/c:/d:rw"}, .network = "bridge"});
    const auto image = image_for_node_manager(job);
    ASSERT_TRUE(image);
    EXPECT_EQ(image->image, "python:3");
    EXPECT_EQ(image->network, "bridge");
    ASSERT_EQ(image->mounts.size(), 1U);
    EXPECT_EQ(image->mounts.front().target, "/d");
    EXPECT_FALSE(image->mounts.front().read_only);
    EXPECT_FALSE(image_for_agent(job));
  }
}

TEST(JobImage, the_entry_point_is_run_where_it_is_usual_or_wished) {
  using Start = yarn::ImageRuntime::Start;
  auto by_agent = job_in({.name = "python:3", .runtime = "podman"});
  auto by_node_manager = job_in({.name = "python:3"});
  EXPECT_THAT(image_for_agent(by_agent)->options, IsEmpty());
  EXPECT_EQ(image_for_node_manager(by_node_manager)->start, Start::script);
  by_agent.image->entry_point = by_node_manager.image->entry_point = true;
  EXPECT_THAT(image_for_agent(by_agent)->options, IsEmpty());
  EXPECT_EQ(image_for_node_manager(by_node_manager)->start, Start::entry_point);
  by_agent.image->entry_point = by_node_manager.image->entry_point = false;
  EXPECT_THAT(image_for_agent(by_agent)->options, ElementsAre("--entrypoint="));
  EXPECT_EQ(image_for_node_manager(by_node_manager)->start, Start::script);
}

TEST(JobImage, a_script_runs_with_the_images_python) {
  const auto plan = make_plan(job_in({.name = "python:3"}), [](const std::string&) { return "/usr/bin/python3.11"; });
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_THAT(plan->roles.front().argv, ElementsAre("python3", "train.py"));
  EXPECT_EQ(plan->roles.front().interpreter_note, "python3 of the image python:3");
}

}  // namespace
}  // namespace ydl::master
