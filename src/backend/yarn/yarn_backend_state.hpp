#pragma once

#include "backend/yarn/container_starter.hpp"
#include "backend/yarn/yarn_backend.hpp"
#include "backend/yarn/yarn_machine.hpp"
#include "core/log.hpp"
#include "net/asio.hpp"
#include "yarn/app_master.hpp"

#include <deque>
#include <memory>
#include <optional>

namespace ydl::backend {

inline core::AgentId agent_of(const yarn::ContainerId& id) {
  return {id.str()};
}

// Carries out the actions of the machine and reports their results to it. Shared with the coroutines that do this.
struct YarnBackend::State : std::enable_shared_from_this<YarnBackend::State> {
  State(net::asio::any_io_executor executor_, protocol::Hub& hub_, Sink sink_, YarnOptions options_);

  void carry_out(YarnActions actions);
  void on(const RegisterMaster& action);
  void on(const Allocate& action);
  void on(const UseToken& action) { master->use_token(action.token); }
  void on(const StartContainers& action);
  void on(const StopContainer& action) { starter.stop(action.node, action.token, {action.id}); }
  void on(const LookAtContainer& action);
  void on(const SaveLogs& action);
  void on(const RevokeAgent& action);
  void on(const ExpectAgent& action);
  void on(const SendToAgent& action) { hub.send(agent_of(action.id), action.command); }
  void on(const ForgetAgent& action) { hub.forget(agent_of(action.id)); }
  void on(const TellJob& action) { sink.event(action.event); }
  void on(const GiveUpJob& action) {
    if (sink.replaced) sink.replaced(action.why);
  }
  void on(const TellUser& action) { sink.note(action.text); }
  void on(const PassOutput& action) { sink.output(action.output); }
  void on(const LogLine& action) { core::log("{}", action.text); }

  [[nodiscard]] core::Result<> connect();
  [[nodiscard]] yarn::AppMaster::Address own_address() const;
  void close();
  void not_started(const yarn::ContainerId& id, const core::Error& error) {
    carry_out(machine.not_started(id, error, core::steady_now()));
  }

  net::asio::any_io_executor executor;
  protocol::Hub& hub;
  Sink sink;
  YarnOptions options;
  YarnMachine machine;
  ContainerStarter starter;
  std::optional<yarn::AppMaster> master;
  std::deque<YarnAction> to_do;
  bool carrying_out = false;
  net::Signal news;  // the machine's next deadline or its state may have changed
  bool closed = false;
  core::Instant heard = core::steady_now();  // when the ResourceManager last answered
};

// Also tells the machine. An error if this master is not registered afterwards.
[[nodiscard]] net::Async<> register_master(std::shared_ptr<YarnBackend::State> state);

}  // namespace ydl::backend
