#include "master/host_gpus.hpp"

#include <gtest/gtest.h>

namespace ydl::master {
namespace {

using protocol::HostGpus;

spec::JobSpec job(const std::string& framework) {
  spec::JobSpec spec;
  spec.framework = framework;
  spec.command = {"./train"};
  spec.roles.resize(2);
  spec.roles[0].name = "worker";
  spec.roles[0].count = 2;
  spec.roles[1].name = framework == "none" ? "side" : "evaluator";
  spec.roles[1].count = 1;
  return spec;
}

HostGpus seen(const spec::JobSpec& spec, core::ClusterKind cluster, const core::AttemptId& attempt) {
  const auto plan = make_plan(spec);
  if (!plan) throw std::runtime_error(plan.error().message);
  return host_gpus(*plan, cluster, attempt);
}

const core::AttemptId kFirst{{"worker", 0}, 1};

TEST(HostGpus, a_job_on_this_machine_that_asks_for_none_sees_them) {
  EXPECT_EQ(seen(job("none"), core::ClusterKind::local, kFirst), HostGpus::visible);
  EXPECT_EQ(seen(job("pytorch"), core::ClusterKind::local, {{"evaluator", 0}, 3}), HostGpus::visible);
}

TEST(HostGpus, where_one_role_asks_for_gpus_the_others_see_none) {
  auto spec = job("pytorch");
  spec.roles[0].resources.gpus = 1;
  EXPECT_EQ(seen(spec, core::ClusterKind::local, {{"evaluator", 0}, 1}), HostGpus::hidden);
  EXPECT_EQ(seen(spec, core::ClusterKind::yarn, {{"evaluator", 0}, 1}), HostGpus::hidden);
}

TEST(HostGpus, on_a_cluster_they_are_hidden_and_one_task_reports_it_once) {
  EXPECT_EQ(seen(job("pytorch"), core::ClusterKind::yarn, kFirst), HostGpus::hidden_with_note);
  EXPECT_EQ(seen(job("pytorch"), core::ClusterKind::yarn, {{"worker", 0}, 2}), HostGpus::hidden);
  EXPECT_EQ(seen(job("pytorch"), core::ClusterKind::yarn, {{"worker", 1}, 1}), HostGpus::hidden);
  EXPECT_EQ(seen(job("pytorch"), core::ClusterKind::yarn, {{"evaluator", 0}, 1}), HostGpus::hidden);
  EXPECT_EQ(seen(job("none"), core::ClusterKind::yarn, kFirst), HostGpus::hidden);
}

}  // namespace
}  // namespace ydl::master
