// Recorded messages of MXNet 1.9.1: they are decoded, checked, and encoded again to the same bytes.
#include "core/files.hpp"
#include "pslite/meta_codec.hpp"
#include "pslite/zmtp_session.hpp"
#include "support/hex.hpp"

#include <gtest/gtest.h>

namespace ydl::pslite {
namespace {

std::string recorded(const std::string& name) {
  const auto text = core::read_file(std::string(YDL_WIRE_DIR) + "/pslite/" + name + ".hex");
  if (!text) throw std::runtime_error(text.error().message);
  return ydl::testing::from_hex(*text);
}

Meta same_bytes_again(const std::string& bytes) {
  const auto meta = decode_meta(bytes);
  if (!meta) throw std::runtime_error(meta.error().message);
  EXPECT_EQ(encode(*meta), bytes);
  return *meta;
}

// The decoded messages of a recorded connection; `open` if the recording starts after the handshake.
std::vector<Meta> messages(const std::string& name, zmtp::Session& session) {
  const auto step = session.feed(recorded(name));
  if (!step) throw std::runtime_error(step.error().message);
  std::vector<Meta> metas;
  for (const auto& message : step->messages) {
    EXPECT_EQ(message.frames.size(), 1U);
    metas.push_back(same_bytes_again(message.frames.at(0)));
  }
  return metas;
}

zmtp::Session opened() {
  zmtp::Session session(zmtp::SocketType::router, "");
  EXPECT_TRUE(session.feed(zmtp::encode_greeting() + zmtp::encode_ready({{"Socket-Type", "DEALER"}})));
  return session;
}

TEST(PsliteWire, the_registration_of_a_node_is_decoded) {
  zmtp::Session session(zmtp::SocketType::router, "");
  const auto metas = messages("server_first_connection", session);
  EXPECT_EQ(session.peer_identity(), "");
  ASSERT_EQ(metas.size(), 1U);
  const Control& control = metas[0].control.value();
  EXPECT_EQ(control.command, Command::add_node);
  EXPECT_EQ(control.nodes, (std::vector<Node>{Node{.role = Role::server, .host = "127.0.0.1", .port = 57169}}));
  EXPECT_EQ(metas[0].timestamp, 0);
  EXPECT_EQ(same_bytes_again(recorded("worker_add_node")).control->nodes.at(0).role, Role::worker);
}

TEST(PsliteWire, the_barrier_request_of_a_node_is_decoded) {
  zmtp::Session session(zmtp::SocketType::router, "");
  const auto metas = messages("server_second_connection", session);
  EXPECT_EQ(parse_identity(session.peer_identity()), NodeId{8});
  ASSERT_EQ(metas.size(), 1U);
  EXPECT_EQ(metas[0].control->command, Command::barrier);
  EXPECT_EQ(metas[0].control->barrier_group, kAllGroups);
  EXPECT_TRUE(metas[0].request);
  EXPECT_EQ(metas[0].customer_id, 0);
  EXPECT_EQ(same_bytes_again(recorded("worker_barrier")).control->barrier_group, kWorkerGroup);
}

TEST(PsliteWire, acknowledgements_and_heartbeats_of_a_node_are_decoded) {
  zmtp::Session session = opened();
  const auto metas = messages("server_ack_and_heartbeat", session);
  ASSERT_EQ(metas.size(), 2U);
  EXPECT_EQ(metas[0].control->command, Command::ack);
  // The acknowledgement of message 1 of application 0 from node 1 to node 8, which is not a request.
  EXPECT_EQ(metas[0].control->message_signature, (1ULL << 40U) | (8ULL << 32U) | (1U << 1U));
  EXPECT_EQ(metas[1].control->command, Command::heartbeat);
  EXPECT_EQ(metas[1].control->nodes.at(0).id, NodeId{8});
}

TEST(PsliteWire, the_node_list_of_mxnets_own_scheduler_is_decoded) {
  zmtp::Session session(zmtp::SocketType::router, "");
  const auto metas = messages("scheduler_to_worker_start", session);
  EXPECT_EQ(session.peer_identity(), identity_of(kSchedulerId));
  ASSERT_EQ(metas.size(), 1U);
  const auto& nodes = metas[0].control->nodes;
  ASSERT_EQ(nodes.size(), 3U);
  EXPECT_EQ(nodes.back().role, Role::scheduler);
  EXPECT_EQ(nodes.back().id, kSchedulerId);
  for (const Node& node : nodes) EXPECT_FALSE(node.is_recovery);
}

TEST(PsliteWire, the_answers_of_mxnets_own_scheduler_are_decoded) {
  zmtp::Session session = opened();
  const auto release = messages("scheduler_barrier_release", session);
  ASSERT_EQ(release.size(), 1U);
  EXPECT_EQ(release[0].control->command, Command::barrier);
  EXPECT_FALSE(release[0].request);
  EXPECT_EQ(release[0].app_id, 0);
  const auto heartbeat = messages("scheduler_heartbeat_reply", session);
  ASSERT_EQ(heartbeat.size(), 1U);
  EXPECT_EQ(heartbeat[0].control->nodes.at(0).id, kSchedulerId);
}

}  // namespace
}  // namespace ydl::pslite
