#pragma once

#include "hconf/portable.hpp"
#include "support/hollow_agent.hpp"
#include "support/rpc_peer.hpp"
#include "yarn/convert.hpp"
#include "yarn/token_identifiers.hpp"

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace ydl::test {

// The fate of a call to the cluster.
enum class Fate {
  served,
  refused,        // the server throws an exception that allows a retry
  not_heard,      // the connection is closed before the call is executed
  answer_is_lost  // the connection is closed after the call was executed
};

// A ResourceManager and a NodeManager on loopback with Hadoop's RPC. Requested containers are granted immediately, and
// each gets a hollow agent. The test decides what fails.
class ImposterYarn {
 public:
  using Trouble = std::function<Fate(const std::string& method, int call)>;

  ImposterYarn(const net::asio::any_io_executor& executor, protocol::Hub& hub, HollowAgent::Script script)
      : executor_(executor),
        hub_(hub),
        script_(std::move(script)),
        resource_manager_(executor, [this](Socket& socket, int) { return serve(socket); }),
        node_manager_(executor, [this](Socket& socket, int) { return serve(socket); }) {}

  ~ImposterYarn() { *alive_ = false; }
  ImposterYarn(const ImposterYarn&) = delete;
  ImposterYarn& operator=(const ImposterYarn&) = delete;

  [[nodiscard]] hconf::Config config() const {
    const auto address = [](std::uint16_t port) { return fmt::format("127.0.0.1:{}", port); };
    return hconf::from_map({{"yarn.resourcemanager.hostname", "127.0.0.1"},
                            {"yarn.resourcemanager.scheduler.address", address(resource_manager_.port())},
                            {"fs.defaultFS", "hdfs://127.0.0.1:9"}},
                           "the test");
  }
  [[nodiscard]] yarn::NodeReport node() const {
    return {.id = node_id(), .rack = "/r", .capability = {.memory_mib = 1 << 20, .vcores = 1024}};
  }

  void set_trouble(Trouble trouble) { trouble_ = std::move(trouble); }
  // Simulates a restart: the ResourceManager forgets everything except its applications.
  void restart_resource_manager() {
    registered_ = false;
    response_id_ = 0;
    asks_.clear();
  }
  // Ends the container before its agent can report anything.
  void lose_container(const yarn::ContainerId& id, int exit_status) {
    const auto found = agents_.find(id);
    if (found == agents_.end()) return;
    found->second->kill();
    completed(id, exit_status);
  }

  [[nodiscard]] const std::vector<std::string>& calls() const { return calls_; }  // names of the methods, in order
  [[nodiscard]] bool is_finished() const { return finished_; }
  [[nodiscard]] float progress() const { return progress_; }
  // The launch contexts of the started containers.
  [[nodiscard]] const std::map<yarn::ContainerId, hadoop::yarn::ContainerLaunchContextProto>& launches() const {
    return launches_;
  }
  [[nodiscard]] int tasks_running() const {
    int running = 0;
    for (const auto& [id, agent] : agents_) running += agent->runs_task() ? 1 : 0;
    return running;
  }
  [[nodiscard]] std::vector<yarn::ContainerId> containers() const {
    std::vector<yarn::ContainerId> ids;
    for (const auto& [id, agent] : agents_) ids.push_back(id);
    return ids;
  }

 private:
  struct Answer {
    std::string body = {};
    std::string exception = {};  // sent instead of the body
    std::string message = {};
  };
  static constexpr std::string_view kYarn = "org.apache.hadoop.yarn.exceptions.";

  [[nodiscard]] yarn::NodeId node_id() const { return {"127.0.0.1", node_manager_.port()}; }

  net::awaitable<void> serve(Socket& socket) {
    RpcPeer peer(socket);
    const auto alive = alive_;  // connections may outlive their cluster
    while (const auto frame = co_await peer.next()) {
      if (!*alive) co_return;
      if (frame->id == hrpc::kSaslCall) {
        hadoop::common::RpcSaslProto success;
        success.set_state(hadoop::common::RpcSaslProto::SUCCESS);
        co_await write(socket, sasl_reply(success));
      } else if (frame->is_call()) {
        const auto fate = trouble_(frame->method, static_cast<int>(calls_.size()));
        calls_.push_back(frame->method);
        if (fate == Fate::not_heard) co_return;
        const auto answer = fate == Fate::refused ? Answer{{}, "java.io.IOException", "it is busy"} : answer_to(*frame);
        if (fate == Fate::answer_is_lost) co_return;
        co_await write(socket, answer.exception.empty() ? reply(frame->id, answer.body)
                                                        : error_reply(frame->id, answer.exception, answer.message));
      }
    }
  }

  Answer answer_to(const ClientFrame& call) {
    if (call.method == "registerApplicationMaster") return register_master();
    if (call.method == "allocate") return allocate(parsed<hadoop::yarn::AllocateRequestProto>(call));
    if (call.method == "finishApplicationMaster") return finish();
    if (call.method == "startContainers") return start(parsed<hadoop::yarn::StartContainersRequestProto>(call));
    if (call.method == "stopContainers") return stop(parsed<hadoop::yarn::StopContainersRequestProto>(call));
    return {{}, "org.apache.hadoop.ipc.RpcNoSuchMethodException", call.method};
  }
  template <class Message>
  static Message parsed(const ClientFrame& call) {
    Message message;
    if (!message.ParseFromString(call.request)) throw std::runtime_error("not a request of " + call.method);
    return message;
  }
  static Answer thrown(std::string_view exception, std::string message) {
    return {{}, fmt::format("{}{}", kYarn, exception), std::move(message)};
  }

  // ---- the ResourceManager
  Answer register_master() {
    if (std::exchange(registered_, true)) {
      return thrown("InvalidApplicationMasterRequestException", "Application Master is already registered : app");
    }
    hadoop::yarn::RegisterApplicationMasterResponseProto response;
    response.set_queue("default");
    return {response.SerializeAsString()};
  }

  Answer allocate(const hadoop::yarn::AllocateRequestProto& request) {
    if (!registered_) return thrown("ApplicationMasterNotRegisteredException", "restarted");
    if (request.response_id() + 1 == response_id_) return {last_response_};  // the last answer was lost
    if (request.response_id() != response_id_) return thrown("InvalidApplicationMasterRequestException", "wrong id");
    progress_ = request.progress();
    for (const auto& ask : request.ask()) {
      if (ask.resource_name() == yarn::kAnywhere) asks_[ask.allocation_request_id()] = ask;
    }
    for (const auto& id : request.release()) end_container(yarn::from_proto(id));
    hadoop::yarn::AllocateResponseProto response;
    for (auto& [id, ask] : asks_) {
      for (; ask.num_containers() > 0; ask.set_num_containers(ask.num_containers() - 1)) grant(ask, response);
    }
    if (!gave_token_ && response.allocated_containers_size() > 0) {
      gave_token_ = true;
      auto& token = *response.add_nm_tokens();
      fill(*token.mutable_nodeid());
      fill(*token.mutable_token(), yarn::kNmToken, "node");
    }
    for (const auto& [id, exit_status] : std::exchange(completed_, {})) {
      auto& status = *response.add_completed_container_statuses();
      *status.mutable_container_id() = yarn::to_proto(id);
      status.set_state(hadoop::yarn::C_COMPLETE);
      status.set_exit_status(exit_status);
    }
    response.set_response_id(++response_id_);
    return {last_response_ = response.SerializeAsString()};
  }

  void grant(const hadoop::yarn::ResourceRequestProto& ask, hadoop::yarn::AllocateResponseProto& response) {
    const yarn::ContainerId id{{{1'700'000'000'000, 1}, 1}, ++last_container_};
    auto& container = *response.add_allocated_containers();
    *container.mutable_id() = yarn::to_proto(id);
    fill(*container.mutable_nodeid());
    container.set_node_http_address("127.0.0.1:9");  // no process listens on this port
    *container.mutable_resource() = ask.capability();
    *container.mutable_priority() = ask.priority();
    container.set_allocation_request_id(ask.allocation_request_id());
    fill(*container.mutable_container_token(), yarn::kContainerToken, id.str());
  }

  Answer finish() {
    if (!registered_) return thrown("ApplicationMasterNotRegisteredException", "restarted");
    finished_ = true;
    for (const auto& id : containers()) end_container(id);
    hadoop::yarn::FinishApplicationMasterResponseProto response;
    response.set_isunregistered(true);
    return {response.SerializeAsString()};
  }

  // ---- the NodeManager
  Answer start(const hadoop::yarn::StartContainersRequestProto& request) {
    hadoop::yarn::StartContainersResponseProto response;
    for (const auto& one : request.start_container_request()) {
      const auto id = yarn::ContainerId::parse(one.container_token().identifier()).value();
      *response.add_succeeded_requests() = yarn::to_proto(id);
      launches_[id] = one.container_launch_context();
      auto& agent = agents_[id];
      if (agent != nullptr) continue;  // a repetition after a lost answer
      agent = std::make_shared<HollowAgent>(executor_, hub_, core::AgentId{id.str()}, script_,
                                            [this, id] { completed(id, 0); });
      agent->start();
    }
    return {response.SerializeAsString()};
  }

  Answer stop(const hadoop::yarn::StopContainersRequestProto& request) {
    hadoop::yarn::StopContainersResponseProto response;
    for (const auto& id : request.container_id()) {
      end_container(yarn::from_proto(id));
      *response.add_succeeded_requests() = id;
    }
    return {response.SerializeAsString()};
  }

  void end_container(const yarn::ContainerId& id) {
    if (const auto found = agents_.find(id); found != agents_.end()) found->second->kill();
    completed(id, -100);
  }
  void completed(const yarn::ContainerId& id, int exit_status) {
    if (ended_.insert(id).second) completed_.emplace_back(id, exit_status);
  }
  static void fill(hadoop::common::TokenProto& proto, std::string_view kind, const std::string& identifier) {
    proto.set_kind(std::string(kind));
    proto.set_identifier(identifier);
    proto.set_password("");
    proto.set_service("");
  }
  void fill(hadoop::yarn::NodeIdProto& proto) const {
    proto.set_host(node_id().host);
    proto.set_port(node_id().port);
  }

  net::asio::any_io_executor executor_;
  protocol::Hub& hub_;
  HollowAgent::Script script_;
  Trouble trouble_ = [](const std::string&, int) { return Fate::served; };
  std::vector<std::string> calls_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);

  bool registered_ = false;
  bool finished_ = false;
  bool gave_token_ = false;
  float progress_ = 0;
  std::int32_t response_id_ = 0;
  std::string last_response_;
  std::int64_t last_container_ = 1;
  std::map<std::int64_t, hadoop::yarn::ResourceRequestProto> asks_;  // by allocation id
  std::map<yarn::ContainerId, std::shared_ptr<HollowAgent>> agents_;
  std::map<yarn::ContainerId, hadoop::yarn::ContainerLaunchContextProto> launches_;
  std::set<yarn::ContainerId> ended_;
  std::deque<std::pair<yarn::ContainerId, int>> completed_;  // still to be reported

  Imposter resource_manager_;
  Imposter node_manager_;
};

}  // namespace ydl::test
