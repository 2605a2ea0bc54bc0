#pragma once

#include "core/clock.hpp"
#include "net/asio.hpp"
#include "protocol/command_list.hpp"
#include "protocol/commands.hpp"
#include "protocol/epoch.hpp"
#include "protocol/hello.hpp"
#include "protocol/numbered_queue.hpp"
#include "protocol/reports.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ydl::protocol {

// The master's connection to its agents: commands wait here until an agent fetches them, and reports arrive here. The
// hub is independent of HTTP: the routes of the master pass it the bodies of requests and send its answers.
class Hub {
 public:
  struct Listener {
    std::function<void(const Hello&)> on_hello;
    std::function<void(const Report&)> on_report;
  };

  explicit Hub(net::asio::any_io_executor executor, Epoch epoch = {}) : executor_(std::move(executor)), epoch_(epoch) {}

  void expect(const core::AgentId& id, Listener listener);
  void forget(const core::AgentId& id);
  // An earlier master has told this agent to prepare the attempt with this number of ports. Call expect() first.
  void adopt(const core::AgentId& id, const core::AttemptId& attempt, int ports);

  // While a master takes over a job, it does not have the ids of all agents yet. Until then unknown agents get
  // `unavailable` and try again. `not_found` would make them end their tasks.
  void begin_taking_over() { is_taking_over_ = true; }
  void end_taking_over() { is_taking_over_ = false; }
  // From suspend() to resume() every call of an agent fails with `unavailable`, including calls that are open. This
  // master may have been replaced, and the agents must then find the new one.
  void suspend();
  void resume();
  void send(const core::AgentId& id, Command command);
  // The addresses from which agents of this job have sent a Hello.
  [[nodiscard]] const std::set<std::string>& addresses() const { return addresses_; }
  [[nodiscard]] core::Instant last_heard(const core::AgentId& id) const;
  // Since when the oldest unconfirmed command waits; nullopt if the agent has confirmed all.
  [[nodiscard]] std::optional<core::Instant> unconfirmed_since(const core::AgentId& id) const;

  // The agent that prepared the attempt, as long as it has not been told to release it.
  [[nodiscard]] std::optional<core::AgentId> agent_of(const core::AttemptId& attempt) const;

  // Asks an agent for a part of a task's log; sets `question.token`.
  // Errors: not_found (there is no such agent, or it has ended), timeout, io (the agent cannot read the log),
  // unavailable (the agent has not answered earlier questions yet).
  [[nodiscard]] net::Async<LogPiece> read_log(core::AgentId id, ReadLog question,
                                              core::Millis at_most = core::Seconds(5));

  // The calls of hello.hpp; an exchange is reports() and then commands().
  // Errors: not_found (there is no such agent), unavailable (see begin_taking_over(), suspend()), corrupt, refused
  // (another version or epoch).
  [[nodiscard]] core::Result<Welcome> hello(const core::AgentId& id, std::string_view body,
                                            const std::string& from = {});
  [[nodiscard]] core::Result<void> reports(const core::AgentId& id, std::string_view body);
  [[nodiscard]] net::Async<CommandList> commands(core::AgentId id, Sequence after, core::Millis wait);
  // Answers an open commands() call of this agent now, because its next call has arrived.
  void answer_now(const core::AgentId& id);

 private:
  struct Question {
    explicit Question(const net::asio::any_io_executor& executor) : answered(executor) {}
    net::Signal answered;
    std::optional<LogPiece> answer;
    core::Instant asked_at = core::steady_now();
  };
  struct Session {
    explicit Session(const net::asio::any_io_executor& executor) : news(executor) {}
    Listener listener;
    Outbox<Command> outbox;
    core::Instant outbox_since = {};  // when it became non-empty, or last became shorter
    Inbox inbox;
    std::map<core::AttemptId, int> attempts;  // that it was told to prepare, with the number of ports it must report
    net::Signal news;
    core::Instant last_heard = core::steady_now();
    std::map<std::uint64_t, std::shared_ptr<Question>> questions;  // by token
    bool forgotten = false;
    bool is_suspended = false;  // a copy, because an open call may outlive the hub
    bool sent_foreign = false;  // it reported about an attempt that is not its own
  };

  static void deliver(const core::AgentId& id, Session& session, const Report& report);
  [[nodiscard]] core::Result<std::shared_ptr<Session>> session(const core::AgentId& id);

  net::asio::any_io_executor executor_;
  Epoch epoch_;
  std::map<core::AgentId, std::shared_ptr<Session>> sessions_;
  std::map<core::AttemptId, core::AgentId> agents_;  // of attempts that are prepared
  std::set<std::string> addresses_;                  // of agents that said hello
  std::uint64_t last_token_ = 0;
  bool is_taking_over_ = false;
  bool is_suspended_ = false;
};

}  // namespace ydl::protocol
