// Starting containers at NodeManagers that are not what they should be.
#include "backend/yarn/container_starter.hpp"

#include "hconf/portable.hpp"
#include "support/loop.hpp"
#include "support/rpc_peer.hpp"
#include "yarn/token_identifiers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ydl::backend {
namespace {

using hadoop::common::RpcSaslProto;
using test::Socket;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A NodeManager that answers each handshake with this message, or closes each connection where there is none.
class StrangeNode {
 public:
  StrangeNode(const net::asio::any_io_executor& executor, std::optional<RpcSaslProto> handshake)
      : handshake_(std::move(handshake)), imposter_(executor, [this](Socket& socket, int) { return serve(socket); }) {}

  [[nodiscard]] yarn::NodeId id() const { return {"127.0.0.1", imposter_.port()}; }
  [[nodiscard]] int connections() const { return imposter_.connections(); }
  [[nodiscard]] const std::vector<std::string>& calls() const { return calls_; }

 private:
  net::awaitable<void> serve(Socket& socket) {
    if (!handshake_) co_return;
    test::RpcPeer peer(socket);
    while (const auto frame = co_await peer.next()) {
      if (frame->is_call()) calls_.push_back(frame->method);
      if (frame->id == hrpc::kSaslCall) co_await test::write(socket, test::sasl_reply(*handshake_));
    }
  }

  std::optional<RpcSaslProto> handshake_;
  std::vector<std::string> calls_;
  test::Imposter imposter_;
};

RpcSaslProto success_without_proof() {
  RpcSaslProto message;
  message.set_state(RpcSaslProto::SUCCESS);
  return message;
}

RpcSaslProto offer_of_no_security() {
  RpcSaslProto message;
  message.set_state(RpcSaslProto::NEGOTIATE);
  auto& offer = *message.add_auths();
  offer.set_method("SIMPLE");
  offer.set_mechanism("");
  return message;
}

// Why the container was not started.
std::string start_on(StrangeNode& node, test::Loop& loop, const std::map<std::string, std::string>& settings) {
  ContainerStarter starter(loop.executor(), hconf::from_map(settings, "the test"), {.user = "ann"});
  const yarn::ContainerId id{{{1'700'000'000'000, 1}, 1}, 2};
  const hrpc::Token token{"id", "password", std::string(yarn::kNmToken), ""};
  yarn::Launch launch;
  launch.command = {"./ydl"};
  std::vector<std::string> reasons;
  starter.start(node.id(), token, {{id, token, launch}},
                [&reasons](const auto&, const core::Error& error) { reasons.push_back(error.message); });
  EXPECT_TRUE(loop.until([&] { return !reasons.empty(); }));
  return reasons.empty() ? "" : reasons.front();
}

TEST(ContainerStarter, where_kerberos_is_configured_a_node_manager_without_security_is_sent_no_container) {
  for (const auto& handshake : {success_without_proof(), offer_of_no_security()}) {
    test::Loop loop;
    StrangeNode node(loop.executor(), handshake);
    EXPECT_THAT(start_on(node, loop, {{"hadoop.security.authentication", "kerberos"}}),
                HasSubstr("the server runs without security, but the configuration requires Kerberos"));
    EXPECT_THAT(node.calls(), IsEmpty());
  }
}

TEST(ContainerStarter, a_node_manager_is_tried_again_no_longer_than_configured) {
  test::Loop loop;
  StrangeNode node(loop.executor(), std::nullopt);
  EXPECT_THAT(start_on(node, loop, {{"yarn.client.nodemanager-connect.max-wait-ms", "0"}}),
              HasSubstr("closed the connection"));
  EXPECT_EQ(node.connections(), 1);
}

}  // namespace
}  // namespace ydl::backend
