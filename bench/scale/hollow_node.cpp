#include "scale/hollow_node.hpp"

#include "agent/container_credentials.hpp"
#include "hrpc/frame_codec.hpp"
#include "hrpc/proto/protobuf_rpc_engine.pb.h"
#include "hrpc/proto/rpc_header.pb.h"
#include "net/spawn.hpp"
#include "scale/hollow_agent.hpp"
#include "support/rpc_replies.hpp"
#include "yarn/credentials.hpp"
#include "yarn/ids.hpp"
#include "yarn/proto/token_identifiers.pb.h"

#include <array>
#include <optional>

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>

namespace ydl::bench {
namespace {

namespace pb = hadoop::yarn;

constexpr std::string_view kTracker = "org.apache.hadoop.yarn.server.api.ResourceTrackerPB";
constexpr core::Millis kHeartbeat = core::Seconds(1);
constexpr std::size_t kLargestFrame = std::size_t{64} << 20U;
constexpr std::size_t kPreamble = 7;  // "hrpc", the version, the class of service, the protocol of authentication
constexpr int kSaslCall = -33;

template <class Message>
Message parse(const std::string& bytes) {
  Message message;
  (void)message.ParsePartialFromString(bytes);
  return message;
}

std::string text_of(const pb::ContainerIdProto& id) {
  const auto& attempt = id.app_attempt_id();
  return fmt::format("container_{}_{:04}_{:02}_{:06}", attempt.application_id().cluster_timestamp(),
                     attempt.application_id().id(), attempt.attemptid(), id.id() & 0xff'ffff'ffff);
}

}  // namespace

HollowNode::HollowNode(const net::asio::any_io_executor& executor, Options options, Counts& counts)
    : executor_(executor), options_(std::move(options)), counts_(counts) {}

void HollowNode::start(hrpc::Client& resource_manager, core::Millis delay) {
  net::spawn(executor_, "the listener of a hollow node", listen(shared_from_this()));
  net::spawn(executor_, "the heartbeats of a hollow node", track(shared_from_this(), resource_manager, delay));
}

// ---- towards the ResourceManager -------------------------------------------------------------------------------

net::awaitable<void> HollowNode::track(std::shared_ptr<HollowNode> self, hrpc::Client& resource_manager,
                                       core::Millis delay) {
  co_await net::pause(delay);
  if (const auto enlisted = co_await self->enlist(resource_manager); !enlisted) {
    fmt::print(stderr, "{}: {}\n", self->options_.address, enlisted.error().message);
    co_return;
  }
  ++self->counts_.registered;
  for (;;) {
    if (const auto beat = co_await self->beat(resource_manager); !beat)
      fmt::print(stderr, "{}: {}\n", self->options_.address, beat.error().message);
    co_await net::pause(kHeartbeat);
  }
}

net::Async<> HollowNode::enlist(hrpc::Client& resource_manager) {
  pb::RegisterNodeManagerRequestProto request;
  *request.mutable_node_status() = status();
  *request.mutable_node_id() = request.node_status().node_id();
  request.set_http_port(80);
  request.mutable_resource()->set_memory(options_.memory_mib);
  request.mutable_resource()->set_virtual_cores(options_.vcores);
  request.set_nm_version("3.4.1");
  const auto answer = co_await resource_manager.call<pb::RegisterNodeManagerResponseProto>(
      {kTracker, "registerNodeManager", hrpc::Repeat::idempotent}, request);
  if (!answer) co_return core::fail(answer.error());
  if (answer->node_action() != 0) co_return core::fail(core::Errc::refused, answer->diagnostics_message());
  container_key_ = answer->container_token_master_key();
  node_key_ = answer->nm_token_master_key();
  co_return core::Result<>{};
}

pb::NodeStatusProto HollowNode::status() const {
  pb::NodeStatusProto status;
  status.mutable_node_id()->set_host(options_.address);
  status.mutable_node_id()->set_port(options_.port);
  status.set_response_id(response_id_);
  status.mutable_node_health_status()->set_is_node_healthy(true);
  status.mutable_node_health_status()->set_health_report("");
  status.mutable_node_health_status()->set_last_health_report_time(0);
  for (const auto& [key, container] : containers_) {
    auto& one = *status.add_containers_statuses();
    *one.mutable_container_id() = container.id;
    one.set_state(container.ended ? pb::C_COMPLETE : pb::C_RUNNING);
    one.set_diagnostics("");
    if (container.ended) one.set_exit_status(0);
  }
  return status;
}

net::Async<> HollowNode::beat(hrpc::Client& resource_manager) {
  pb::NodeHeartbeatRequestProto request;
  *request.mutable_node_status() = status();
  request.set_last_known_container_token_master_key(container_key_);
  request.set_last_known_nm_token_master_key(node_key_);
  std::vector<std::string> told;
  for (const auto& [key, container] : containers_) {
    if (container.ended) told.push_back(key);
  }
  const auto answer = co_await resource_manager.call<pb::NodeHeartbeatResponseProto>(
      {kTracker, "nodeHeartbeat", hrpc::Repeat::idempotent}, request);
  if (!answer) co_return core::fail(answer.error());
  response_id_ = answer->response_id();
  if (answer->has_container_token_master_key()) container_key_ = answer->container_token_master_key();
  if (answer->has_nm_token_master_key()) node_key_ = answer->nm_token_master_key();
  for (const auto& key : told) containers_.erase(key);
  co_return core::Result<>{};
}

// ---- towards masters -------------------------------------------------------------------------------------------

net::awaitable<void> HollowNode::listen(std::shared_ptr<HollowNode> self) {
  using net::asio::ip::tcp;
  tcp::acceptor acceptor(self->executor_, {net::asio::ip::make_address(self->options_.address), self->options_.port});
  for (;;) {
    auto [error, socket] = co_await acceptor.async_accept(net::tuple);
    if (error) co_return;
    net::spawn(self->executor_, "a connection to a hollow node", serve(self, std::move(socket)));
  }
}

net::awaitable<void> HollowNode::serve(std::shared_ptr<HollowNode> self, Socket socket) {
  hrpc::FrameReader reader(kLargestFrame);
  std::array<char, 64 << 10> buffer{};
  std::size_t skipped = 0;
  for (;;) {
    const auto [error, n] = co_await socket.async_read_some(net::asio::buffer(buffer), net::tuple);
    if (error) co_return;
    std::string_view bytes(buffer.data(), n);
    const auto preamble = std::min(kPreamble - skipped, bytes.size());
    skipped += preamble;
    reader.feed(bytes.substr(preamble));
    for (;;) {
      const auto frame = reader.next();
      if (!frame) co_return;
      if (!*frame) break;
      const auto answer = self->answer(**frame);
      if (!answer) co_return;
      const auto [failed, written] = co_await net::asio::async_write(socket, net::asio::buffer(*answer), net::tuple);
      if (failed) co_return;
    }
  }
}

// A client without Kerberos takes SUCCESS for the answer to its first message of SASL: the token is not checked here.
std::optional<std::string> HollowNode::answer(std::string_view frame) {
  const auto head = hrpc::take_delimited(frame);
  if (!head) return std::nullopt;
  const auto header = parse<hadoop::common::RpcRequestHeaderProto>(std::string(*head));
  if (header.callid() == kSaslCall) {
    hadoop::common::RpcSaslProto success;
    success.set_state(hadoop::common::RpcSaslProto::SUCCESS);
    return test::sasl_reply(success);
  }
  if (header.callid() < 0) return std::string();  // the connection's context, and pings
  const auto request = hrpc::take_delimited(frame);
  if (!request) return std::nullopt;
  const auto body = hrpc::take_delimited(frame);
  if (!body) return std::nullopt;
  const auto method = parse<hadoop::common::RequestHeaderProto>(std::string(*request)).methodname();
  std::string reply;
  if (method == "startContainers") reply = start_containers(std::string(*body));
  if (method == "stopContainers") reply = stop_containers(std::string(*body));
  return test::reply(hrpc::CallId{header.callid()}, reply);
}

std::string HollowNode::start_containers(const std::string& body) {
  pb::StartContainersResponseProto response;
  for (const auto& request : parse<pb::StartContainersRequestProto>(body).start_container_request()) {
    const auto token = parse<pb::ContainerTokenIdentifierProto>(request.container_token().identifier());
    *response.add_succeeded_requests() = token.containerid();
    start_container(request, token.containerid());
  }
  return response.SerializeAsString();
}

void HollowNode::start_container(const pb::StartContainerRequestProto& request, const pb::ContainerIdProto& id) {
  const auto key = id.SerializeAsString();
  containers_[key] = {id};
  if (counts_.started++ == 0) counts_.first_start = core::steady_now();
  counts_.last_start = core::steady_now();
  const auto credentials = yarn::decode_credentials(request.container_launch_context().tokens());
  if (!credentials) return fmt::print(stderr, "{}\n", credentials.error().message);
  const auto secret = credentials->secrets.find(std::string(agent::kAgentSecret));
  if (secret == credentials->secrets.end()) return;  // a container of another program: it just runs
  const auto decoded = agent::decode_agent_secret(secret->second);
  if (!decoded) return fmt::print(stderr, "{}\n", decoded.error().message);
  std::make_shared<HollowAgent>(executor_, HollowAgent::Options{decoded->master, {text_of(id)}, options_.task_life},
                                [self = shared_from_this(), key] { self->end_container(key); })
      ->start();
}

std::string HollowNode::stop_containers(const std::string& body) {
  pb::StopContainersResponseProto response;
  for (const auto& id : parse<pb::StopContainersRequestProto>(body).container_id()) {
    *response.add_succeeded_requests() = id;
    end_container(id.SerializeAsString());
  }
  return response.SerializeAsString();
}

void HollowNode::end_container(const std::string& key) {
  const auto found = containers_.find(key);
  if (found == containers_.end() || std::exchange(found->second.ended, true)) return;
  ++counts_.ended;
}

}  // namespace ydl::bench
