#pragma once

#include "backend/yarn/container_book.hpp"
#include "backend/yarn/container_starter.hpp"
#include "backend/yarn/yarn_backend.hpp"
#include "yarn/allocator_fsm.hpp"
#include "yarn/app_master.hpp"

#include <deque>
#include <map>
#include <optional>

namespace ydl::backend {

[[nodiscard]] core::AgentId agent_of(const yarn::ContainerId& id);

// What the backend knows, and what it does when something happens. The coroutines of yarn_backend.cpp and
// yarn_state.cpp share it.
struct YarnBackend::State : std::enable_shared_from_this<YarnBackend::State> {
  State(net::asio::any_io_executor executor_, protocol::Hub& hub_, Sink sink_, YarnOptions options_);

  // ---- towards the ResourceManager
  [[nodiscard]] net::Async<> register_master();
  [[nodiscard]] net::awaitable<void> beat();  // one heartbeat and what follows from its answer
  [[nodiscard]] net::awaitable<void> end(const job::Outcome& outcome);

  // ---- what the job wants
  void want(protocol::Prepare request);
  void give_up(const core::AttemptId& attempt);

  // ---- what the cluster says
  void on_heard(const yarn::AllocatorFsm::Heard& heard);
  void on_granted(const std::vector<yarn::Container>& containers);
  void on_completed(const yarn::ContainerStatus& status);
  void on_start_failed(const yarn::ContainerId& id, const core::Error& error);
  [[nodiscard]] net::awaitable<void> save_logs_and_end(yarn::ContainerId id, ContainerEnd end);
  void on_end(const yarn::ContainerId& id, const ContainerEnd& end);
  void look_for_silence();
  void say_what_is_missing();
  void say_what_takes_long();
  void avoid(const std::string& host);

  // ---- what the agents say
  void on_report(const yarn::ContainerId& id, const protocol::Report& report);
  void on(Held& held, const protocol::Prepared& report);
  void on(Held& held, const protocol::PrepareFailed& report);
  void on(Held& held, const protocol::TaskStarted& report);
  void on(Held& held, const protocol::TaskStartFailed& report);
  void on(Held& held, const protocol::TaskSaving& report);
  void on(Held& held, const protocol::TaskExited& report);
  void on(Held& held, const protocol::TaskOutput& report);
  void on(Held& held, const protocol::Note& report);
  void on(Held&, const protocol::LogPiece&) {}  // the hub gives it to who asked

  [[nodiscard]] yarn::ContainerManager::Start start_of(const Held& held) const;
  [[nodiscard]] net::awaitable<void> start_on(yarn::NodeId node, std::vector<yarn::ContainerId> ids);
  void let_go(const yarn::ContainerId& id);
  void tell(job::Event event) const {
    if (!closed) sink.event(std::move(event));
  }
  [[nodiscard]] const YarnRole* role_of(const yarn::AskKey& key) const;
  [[nodiscard]] yarn::AskKey key_of(const std::string& role) const;

  net::asio::any_io_executor executor;
  protocol::Hub& hub;
  Sink sink;
  YarnOptions options;
  ContainerStarter starter;
  yarn::AllocatorFsm fsm;
  std::optional<yarn::AppMaster> master;
  ContainerBook book;
  std::map<std::string, std::string> addresses;  // of nodes by name, numeric
  net::Signal news;                              // something is to be told before the next heartbeat's time
  net::Signal saved;                             // the logs of one more container are as complete as they get
  int saving = 0;                                // containers whose logs are not yet
  std::deque<std::string> avoided;               // hosts, the one avoided longest first
  std::optional<core::Instant> waiting_since;    // asks are open
  bool said_missing = false;
  bool closed = false;
};

// Until the backend closes or the attempt is over.
[[nodiscard]] net::awaitable<void> heartbeats(std::shared_ptr<YarnBackend::State> state);

}  // namespace ydl::backend
