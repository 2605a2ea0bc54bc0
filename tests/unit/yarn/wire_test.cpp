// Recorded messages of Hadoop's own classes: we decode the received ones, and compare the sent ones with ours.
#include "core/files.hpp"
#include "support/hex.hpp"
#include "yarn/convert.hpp"
#include "yarn/launch_context.hpp"
#include "yarn/proto/client_service.pb.h"
#include "yarn/submission.hpp"
#include "yarn/token_identifiers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::yarn {
namespace {

namespace pb = hadoop::yarn;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

constexpr std::int64_t kStart = 1794708826678;
constexpr ContainerId kContainer{{{kStart, 2}, 1}, 1};
const NodeId kNode{"127.0.0.2", 39205};

template <class Message>
Message captured(const std::string& name) {
  const auto text = core::read_file(std::string(YDL_WIRE_DIR) + "/yarn/" + name + ".hex");
  if (!text) throw std::runtime_error(text.error().message);
  Message message;
  if (!message.ParseFromString(ydl::testing::from_hex(*text))) throw std::runtime_error("not readable: " + name);
  return message;
}

// Java repeats memory and vcores in the map of other types, which has no effect.
void drop_repetition(pb::ResourceProto& resource) {
  auto& map = *resource.mutable_resource_value_map();
  const auto kept = std::remove_if(map.begin(), map.end(),
                                   [](const auto& entry) { return entry.key() == kMemory || entry.key() == kVcores; });
  map.erase(kept, map.end());
}

TEST(YarnWire, a_new_application_is_decoded) {
  const auto answer = captured<pb::GetNewApplicationResponseProto>("new_application_response");
  EXPECT_EQ(from_proto(answer.application_id()).str(), "application_1794708826678_0001");
  EXPECT_EQ(from_proto(answer.maximumcapability()), (Resource{.memory_mib = 8192, .vcores = 4}));
}

TEST(YarnWire, a_report_of_a_waiting_application_is_decoded) {
  const auto report =
      from_proto(captured<pb::GetApplicationReportResponseProto>("report_accepted_response").application_report());
  EXPECT_EQ(report.id.str(), "application_1794708826678_0001");
  EXPECT_EQ(report.attempt.attempt, 1);
  EXPECT_EQ(report.state, AppState::accepted);
  EXPECT_EQ(report.final_status, FinalStatus::undefined);
  EXPECT_EQ(report.user, "root");
  EXPECT_EQ(report.queue, "default");
  EXPECT_EQ(report.name, "dump");
  EXPECT_EQ(report.host, "");
  EXPECT_EQ(report.port, -1);
  EXPECT_THAT(report.tags, ElementsAre("t1"));
  EXPECT_EQ(report.containers, 0);
  EXPECT_EQ(report.started, wall_time(1794708832057));
  EXPECT_EQ(report.remaining_lifetime, std::nullopt);
  EXPECT_EQ(report.am_rm_token, std::nullopt);
  EXPECT_EQ(report.tracking_url, "http://localhost:39204/proxy/application_1794708826678_0001/");
}

TEST(YarnWire, a_report_of_a_failure_is_decoded_with_its_diagnostics) {
  const auto report =
      from_proto(captured<pb::GetApplicationReportResponseProto>("report_failed_response").application_report());
  EXPECT_EQ(report.state, AppState::failed);
  EXPECT_TRUE(is_over(report.state));
  EXPECT_EQ(report.final_status, FinalStatus::failed);
  EXPECT_THAT(report.diagnostics, HasSubstr("exitCode: 0"));
}

TEST(YarnWire, the_report_with_the_token_of_an_unmanaged_master_is_decoded) {
  const auto report =
      from_proto(captured<pb::GetApplicationReportResponseProto>("report_unmanaged_response").application_report());
  EXPECT_TRUE(report.unmanaged);
  ASSERT_TRUE(report.am_rm_token);
  EXPECT_EQ(report.am_rm_token->service, "");
  EXPECT_EQ(report.am_rm_token->kind, kAmRmToken);
}

TEST(YarnWire, a_submission_equals_that_of_hadoops_own_client) {
  auto theirs = captured<pb::SubmitApplicationRequestProto>("submit_managed_request").application_submission_context();
  Submission submission{.id = {kStart, 1}, .name = "dump", .tags = {"t1"}, .priority = 0};
  submission.type = "YARN";
  submission.master.credentials.secrets["mysecret"] = "s3cr3t";
  submission.master.expanded_environment = {{"MYVAR", "x<CPS>y{{PWD}}<LOG_DIR>"}};
  submission.master_resource = {.memory_mib = 128, .vcores = 1};
  submission.max_attempts = 1;
  auto ours = submission_context(submission).value();

  drop_repetition(*theirs.mutable_resource());
  theirs.mutable_am_container_spec()->clear_command();
  // We set these fields explicitly to their default values.
  ours.clear_am_container_resource_request();
  ours.clear_log_aggregation_context();
  ours.clear_cancel_tokens_when_complete();
  ours.clear_unmanaged_am();
  ours.clear_applicationtype();
  ours.clear_keep_containers_across_application_attempts();
  EXPECT_EQ(ours.SerializeAsString(), theirs.SerializeAsString());
}

TEST(YarnWire, an_unmanaged_submission_requests_no_container) {
  const auto theirs =
      captured<pb::SubmitApplicationRequestProto>("submit_unmanaged_request").application_submission_context();
  const auto ours = submission_context({.id = {kStart, 2}, .name = "uam", .unmanaged = true}).value();
  EXPECT_TRUE(theirs.has_am_container_spec());
  EXPECT_TRUE(ours.has_am_container_spec());
  EXPECT_TRUE(ours.unmanaged_am());
  EXPECT_FALSE(ours.has_resource());
  EXPECT_EQ(ours.am_container_resource_request_size(), 0);
}

TEST(YarnWire, a_registration_is_decoded) {
  const auto registration = from_proto(captured<pb::RegisterApplicationMasterResponseProto>("register_response"));
  EXPECT_EQ(registration.queue, "default");
  EXPECT_EQ(registration.maximum, (Resource{.memory_mib = 8192, .vcores = 4}));
  ASSERT_THAT(registration.resource_types, SizeIs(2));
  EXPECT_EQ(registration.resource_types[0].name, "memory-mb");
  EXPECT_EQ(registration.resource_types[0].units, "Mi");
  EXPECT_FALSE(registration.counts_vcores);  // the scheduler that was recorded looks at memory only
}

TEST(YarnWire, a_registration_contains_the_acls_and_the_key_of_clients_tokens) {
  pb::RegisterApplicationMasterResponseProto proto;
  EXPECT_FALSE(from_proto(proto).viewers);
  EXPECT_EQ(from_proto(proto).client_token_key, "");
  auto& view = *proto.add_application_acls();
  view.set_accesstype(pb::APPACCESS_VIEW_APP);
  view.set_acl("bob ops");
  auto& modify = *proto.add_application_acls();
  modify.set_accesstype(pb::APPACCESS_MODIFY_APP);
  proto.set_client_to_am_token_master_key("key");
  const auto registration = from_proto(proto);
  EXPECT_EQ(registration.viewers, "bob ops");
  EXPECT_EQ(registration.modifiers, " ") << "YARN's default: no user";
  EXPECT_EQ(registration.client_token_key, "key");
}

TEST(YarnWire, a_request_equals_that_of_hadoops_own_client) {
  auto theirs = captured<pb::AllocateRequestProto>("allocate_ask_request");
  const AllocateRequest request{
      .progress = 0.25F,
      .asks = {{.key = {{1}, 0}, .location = "*", .resource = {.memory_mib = 128, .vcores = 1}, .count = 1}},
      .avoid = {"badhost"}};
  drop_repetition(*theirs.mutable_ask(0)->mutable_capability());
  theirs.mutable_ask(0)->mutable_execution_type_request()->clear_enforce_execution_type();  // false is the default
  EXPECT_EQ(to_proto(request).SerializeAsString(), theirs.SerializeAsString());
}

TEST(YarnWire, a_grant_is_decoded_with_its_tokens) {
  const auto response = from_proto(captured<pb::AllocateResponseProto>("allocate_granted_response"));
  EXPECT_EQ(response.response_id, 2);
  EXPECT_EQ(response.cluster_nodes, 1);
  ASSERT_THAT(response.granted, SizeIs(1));
  const auto& container = response.granted[0];
  EXPECT_EQ(container.id, kContainer);
  EXPECT_EQ(container.node, kNode);
  EXPECT_EQ(container.resource, (Resource{.memory_mib = 1024, .vcores = 1}));
  EXPECT_EQ(container.key, (AskKey{{1}, 0}));
  EXPECT_EQ(container.token.kind, kContainerToken);
  ASSERT_THAT(response.nm_tokens, SizeIs(1));
  EXPECT_EQ(response.nm_tokens[0].node, kNode);
  EXPECT_EQ(response.nm_tokens[0].token.service, kNode.str());
  EXPECT_EQ(response.nm_tokens[0].token.kind, kNmToken);
  EXPECT_EQ(response.am_rm_token, std::nullopt);
}

TEST(YarnWire, a_completion_is_decoded) {
  const auto response = from_proto(captured<pb::AllocateResponseProto>("allocate_completed_response"));
  EXPECT_THAT(response.granted, IsEmpty());
  ASSERT_THAT(response.completed, SizeIs(1));
  const auto& status = response.completed[0];
  EXPECT_EQ(status.id, kContainer);
  EXPECT_EQ(status.state, ContainerState::complete);
  EXPECT_EQ(status.exit_status, 3);
  EXPECT_THAT(status.diagnostics, HasSubstr("Exit code: 3"));
  EXPECT_THAT(status.attributes, ElementsAre(Pair("HOST", "vm"), Pair("IPS", "127.0.0.1")));
}

TEST(YarnWire, a_launch_with_a_file_equals_that_of_hadoops_own_client) {
  const auto theirs = captured<pb::StartContainersRequestProto>("start_containers_request")
                          .start_container_request(0)
                          .container_launch_context();
  auto expected = theirs;
  expected.clear_command();
  auto& file = *expected.mutable_localresources(0)->mutable_value()->mutable_resource();
  file.set_file("/" + file.file());  // the recorded folder's name has lost its slash
  const Launch launch{.files = {{"link.txt",
                                 {.url = "file://" + file.file(),
                                  .size = 1150,
                                  .modified = 1794708652195,
                                  .visibility = LocalResource::Visibility::application}}}};
  EXPECT_EQ(launch_context(launch).value().SerializeAsString(), expected.SerializeAsString());
}

TEST(YarnWire, the_status_of_a_running_container_is_decoded) {
  const auto answer = captured<pb::GetContainerStatusesResponseProto>("container_statuses_response");
  ASSERT_EQ(answer.status_size(), 1);
  const auto status = from_proto(answer.status(0));
  EXPECT_EQ(status.id, kContainer);
  EXPECT_EQ(status.state, ContainerState::running);
  EXPECT_EQ(status.exit_status, -1000);
  const auto started = captured<pb::StartContainersResponseProto>("start_containers_response");
  ASSERT_EQ(started.succeeded_requests_size(), 1);
  EXPECT_EQ(from_proto(started.succeeded_requests(0)), kContainer);
}

TEST(YarnWire, nodes_and_queues_are_decoded) {
  const auto nodes = captured<pb::GetClusterNodesResponseProto>("cluster_nodes_response");
  ASSERT_EQ(nodes.nodereports_size(), 1);
  const auto node = from_proto(nodes.nodereports(0));
  EXPECT_EQ(node.id, kNode);
  EXPECT_EQ(node.rack, "/default-rack");
  EXPECT_EQ(node.state, NodeState::running);
  EXPECT_EQ(node.label, "");
  EXPECT_EQ(node.free(), (Resource{.memory_mib = 2048, .vcores = 2}));
  const auto queue = from_proto(captured<pb::GetQueueInfoResponseProto>("queue_info_response").queueinfo());
  EXPECT_EQ(queue.name, "default");
  EXPECT_EQ(queue.state, QueueState::running);
  EXPECT_EQ(queue.max_capacity, 1.0F);
  EXPECT_EQ(captured<pb::GetClusterMetricsResponseProto>("cluster_metrics_response").cluster_metrics().num_active_nms(),
            1);
}

}  // namespace
}  // namespace ydl::yarn
