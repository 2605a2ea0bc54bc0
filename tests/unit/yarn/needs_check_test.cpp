#include "yarn/needs_check.hpp"

#include "yarn/exit_status.hpp"
#include "yarn/explain.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::yarn {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::int64_t kGiB = 1024;

NodeReport node(std::string host, std::string label = "") {
  return {.id = {std::move(host), 1}, .capability = {.memory_mib = 8 * kGiB, .vcores = 8}, .label = std::move(label)};
}

// Three nodes of 8 GiB, one of them with a label; one queue may use the whole cluster, another one half of it.
ClusterView cluster(std::string queue = "default") {
  QueueInfo all{.name = "default", .path = "root.default", .labels = {"*"}};
  all.shares = {{"", {.capacity = 1, .max_capacity = 1, .max_am_share = 0.1F}}, {"gpu", {1, 1}}};
  QueueInfo half{.name = "half", .path = "root.half"};
  half.shares = {{"", {.capacity = 0.5F, .max_capacity = 0.5F}}};
  QueueInfo stopped{.name = "stopped", .path = "root.stopped", .state = QueueState::stopped};
  return {.maximum = {.memory_mib = 8 * kGiB, .vcores = 4},
          .root = {.name = "root", .path = "root", .scheduler = "CapacityScheduler", .children = {all, half, stopped}},
          .queue = std::move(queue),
          .nodes = {node("a"), node("b"), node("c", "gpu")},
          .labels = {{"gpu"}},
          .types = {{"memory-mb"}, {"vcores"}}};
}

std::vector<Need> job(Need worker) {
  worker.role = "worker";
  return {{.role = "am", .resource = {.memory_mib = 256, .vcores = 1}}, std::move(worker)};
}

std::string refusal(const Need& worker, const ClusterView& view = cluster()) {
  const auto checked = check_needs(job(worker), view);
  return checked ? "accepted" : checked.error().message;
}

TEST(NeedsCheck, a_job_that_fits_is_accepted_without_notes) {
  const auto notes = check_needs(job({.count = 4, .resource = {.memory_mib = 2 * kGiB, .vcores = 1}}), cluster());
  ASSERT_TRUE(notes) << notes.error().message;
  EXPECT_THAT(*notes, IsEmpty());
}

TEST(NeedsCheck, a_container_larger_than_the_maximum_is_refused) {
  EXPECT_THAT(refusal({.resource = {.memory_mib = 10 * kGiB, .vcores = 1}}),
              AllOf(HasSubstr("worker asks for 10 GiB of memory"), HasSubstr("allows 8 GiB"), HasSubstr("default")));
  EXPECT_THAT(refusal({.resource = {.memory_mib = 1, .vcores = 5}}),
              AllOf(HasSubstr("worker asks for 5 vcores"), HasSubstr("4 vcores")));
}

TEST(NeedsCheck, an_unknown_resource_type_is_refused) {
  EXPECT_THAT(refusal({.resource = {.memory_mib = 1, .others = {{"yarn.io/gpu", 1}}}}),
              AllOf(HasSubstr("worker asks for 1 yarn.io/gpu"), HasSubstr("does not have this resource type")));
}

TEST(NeedsCheck, missing_stopped_and_parent_queues_are_refused) {
  const Need small{.resource = {.memory_mib = 1}};
  EXPECT_THAT(refusal(small, cluster("defualt")),
              AllOf(HasSubstr("no queue defualt"), HasSubstr("did you mean 'default'")));
  EXPECT_THAT(refusal(small, cluster("stopped")), HasSubstr("queue stopped is stopped"));
  EXPECT_THAT(refusal(small, cluster("root")), HasSubstr("choose one of its child queues"));
  EXPECT_EQ(refusal(small, cluster("root.default")), "accepted");
}

// The FairScheduler can create a queue when a job names it, the CapacityScheduler if its parent has this setting.
TEST(NeedsCheck, queues_that_the_scheduler_may_create_are_accepted) {
  const Need small{.resource = {.memory_mib = 256, .vcores = 1}};
  EXPECT_EQ(refusal(small, cluster("root.new")), "accepted");
  EXPECT_THAT(refusal(small, cluster("root.no.new")), HasSubstr("no queue root.no.new"));
  for (const auto* scheduler : {"FairScheduler", ""}) {
    auto fair = cluster("ann");
    fair.root = {.name = "root", .path = "root", .scheduler = scheduler};
    EXPECT_TRUE(is_of_fair_scheduler(fair.root));
    EXPECT_EQ(refusal(small, fair), "accepted");
    EXPECT_THAT(refusal({.resource = {.memory_mib = 10 * kGiB, .vcores = 1}}, fair), HasSubstr("(queue ann)"))
        << "what does not depend on the queue is checked";
    fair.root.children = {{.name = "root.ann", .path = "root.ann", .state = QueueState::stopped}};
    EXPECT_THAT(refusal(small, fair), HasSubstr("queue root.ann is stopped"));
  }
}

TEST(NeedsCheck, labels_that_are_missing_or_not_allowed_in_the_queue_are_refused) {
  EXPECT_THAT(refusal({.resource = {.memory_mib = 1}, .label = "tpu"}),
              AllOf(HasSubstr("worker"), HasSubstr("no such label"), HasSubstr("gpu")));
  EXPECT_THAT(refusal({.resource = {.memory_mib = 1}, .label = "gpu"}, cluster("half")),
              HasSubstr("which queue half may not use"));
  EXPECT_EQ(refusal({.resource = {.memory_mib = 1}, .label = "gpu"}), "accepted");
}

TEST(NeedsCheck, a_label_without_running_nodes_is_refused) {
  auto view = cluster();
  view.nodes[2].state = NodeState::lost;
  EXPECT_THAT(refusal({.resource = {.memory_mib = 1}, .label = "gpu"}, view),
              AllOf(HasSubstr("worker has nowhere to run"), HasSubstr("nodes labelled gpu")));
}

TEST(NeedsCheck, more_containers_than_fit_on_the_nodes_are_refused) {
  EXPECT_THAT(
      refusal({.count = 3, .resource = {.memory_mib = 5 * kGiB, .vcores = 1}}),
      AllOf(HasSubstr("worker asks for 3 containers of 5 GiB"), HasSubstr("only 2 would fit on the 2 running")));
}

TEST(NeedsCheck, the_master_counts_towards_the_maximum_of_the_queue) {
  EXPECT_EQ(refusal({.count = 3, .resource = {.memory_mib = 2 * kGiB, .vcores = 1}}, cluster("half")), "accepted");
  EXPECT_THAT(refusal({.count = 4, .resource = {.memory_mib = 2 * kGiB, .vcores = 1}}, cluster("half")),
              AllOf(HasSubstr("am x 1, worker x 4 ask for"), HasSubstr("queue half may have at most 8 GiB")));
}

TEST(NeedsCheck, vcores_are_a_limit_only_if_the_scheduler_considers_them) {
  const Need many{.count = 10, .resource = {.memory_mib = 1, .vcores = 4}};
  auto view = cluster();
  EXPECT_EQ(refusal(many, view), "accepted");
  view.counts_vcores = true;
  EXPECT_THAT(refusal(many, view), HasSubstr("only 4 would fit"));
  view.counts_vcores = false;
  view.types.push_back({"yarn.io/gpu"});  // counted only together with vcores
  EXPECT_THAT(refusal(many, view), HasSubstr("only 4 would fit"));
}

TEST(NeedsCheck, too_few_vcores_are_a_note_if_it_is_unknown_whether_they_are_considered) {
  const auto notes = check_needs(job({.count = 16, .resource = {.memory_mib = 64, .vcores = 1}}), cluster());
  ASSERT_TRUE(notes) << notes.error().message;
  EXPECT_THAT(*notes,
              ElementsAre(AllOf(HasSubstr("am x 1, worker x 16"), HasSubstr("17 vcores"), HasSubstr("16 vcores"),
                                HasSubstr("forever if this cluster's scheduler considers vcores"))));
}

TEST(NeedsCheck, hosts_that_are_unknown_down_or_have_another_label_are_refused) {
  auto view = cluster();
  view.nodes[1].state = NodeState::unhealthy;
  view.nodes[1].health = "disks full";
  EXPECT_THAT(refusal({.resource = {.memory_mib = 1}, .hosts = {"x"}}, view),
              HasSubstr("host x, which has no NodeManager (there are a, b, c)"));
  EXPECT_THAT(refusal({.resource = {.memory_mib = 1}, .hosts = {"b"}}, view), HasSubstr("unhealthy: disks full"));
  EXPECT_THAT(refusal({.resource = {.memory_mib = 1}, .hosts = {"c"}}, view), HasSubstr("labelled gpu"));
  EXPECT_EQ(refusal({.resource = {.memory_mib = 1}, .hosts = {"a"}}, view), "accepted");
}

TEST(NeedsCheck, racks_without_hosts_are_refused) {
  auto view = cluster();
  view.nodes[0].rack = "/r1";
  view.nodes[1].rack = "/r2";
  EXPECT_THAT(refusal({.resource = {.memory_mib = 1}, .racks = {"/r3"}}, view),
              HasSubstr("worker asks for rack /r3, which has no hosts (there are"));
  const Need two{.count = 2, .resource = {.memory_mib = 8 * kGiB}, .racks = {"/r1"}};
  EXPECT_THAT(refusal(two, view), HasSubstr("only 1 would fit on the 1 running"));
  auto both = two;
  both.hosts = {"b"};
  both.resource.memory_mib = 4 * kGiB;
  EXPECT_EQ(refusal(both, view), "accepted") << "on the rack or on the host";
}

TEST(NeedsCheck, a_queue_whose_share_for_masters_is_used_up_is_a_note) {
  auto view = cluster();
  view.root.children[0].running_apps = 2;
  auto needs = job({.resource = {.memory_mib = 1}});
  EXPECT_THAT(check_needs(needs, view).value(), IsEmpty());
  needs[0].resource.memory_mib = 4 * kGiB;
  EXPECT_THAT(check_needs(needs, view).value(),
              ElementsAre(AllOf(HasSubstr("am asks for 4 GiB"), HasSubstr("1.6 GiB"), HasSubstr("2 jobs run"))));
  needs[0].resource.memory_mib = 256;
  view.root.children[0].pending_apps = 1;
  EXPECT_THAT(check_needs(needs, view).value(), ElementsAre(HasSubstr("1 application waits")));
}

TEST(ExitStatus, is_described_in_a_sentence) {
  EXPECT_EQ(exit_cause(0), ExitCause::succeeded);
  EXPECT_EQ(exit_cause(1), ExitCause::failed);
  EXPECT_EQ(exit_cause(137), ExitCause::signalled);
  EXPECT_THAT(describe_exit(137), HasSubstr("signal 9"));
  EXPECT_THAT(describe_exit(-103), HasSubstr("yarn.nodemanager.vmem-check-enabled"));
  EXPECT_EQ(exit_cause(154), ExitCause::cluster);
}

TEST(Explain, errors_have_the_attempted_operation_and_the_remedy) {
  const core::Error error{make_error_code(core::Errc::refused), "not found",
                          core::RemoteException{"org.apache.hadoop.yarn.exceptions.ApplicationNotFoundException", ""}};
  EXPECT_THAT(explain(error, "killing application_1_0001").message,
              AllOf(HasSubstr("killing application_1_0001: not found"), HasSubstr("has deleted it")));
  EXPECT_EQ(explain({make_error_code(core::Errc::io), "lost"}, "asking").message, "asking: lost");
  core::Error of_other{make_error_code(core::Errc::io), "no"};
  of_other.remote = core::RemoteException{"org.apache.hadoop.yarn.exceptions.YarnException",
                                          "User bob cannot perform operation MODIFY_APP on application_1_0001"};
  EXPECT_THAT(explain(of_other, "killing application_1_0001").message, HasSubstr("users in its 'modify' ACL"));
}

}  // namespace
}  // namespace ydl::yarn
