#pragma once

#include "core/version.hpp"
#include "net/spawn.hpp"
#include "protocol/command_list.hpp"
#include "protocol/hub.hpp"

#include <csignal>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <boost/json.hpp>

namespace ydl::test {

// The behaviour of a hollow agent's task.
struct HollowTask {
  std::string cannot_prepare = {};  // not empty: why the host cannot run it
  std::string start_error = {};     // not empty: why it cannot be started
  std::string says = {};            // the last line of its output
  bool never_ends = false;          // runs until it is stopped
  bool ignores_stop = false;        // ends only after the grace period
  int exit_code = 0;
  int exit_signal = 0;
  std::string results_problem = {};
};

// An agent without processes. It exchanges the messages of agents with the hub, as JSON but without HTTP, and simulates
// one task.
class HollowAgent : public std::enable_shared_from_this<HollowAgent> {
 public:
  using Script = std::function<HollowTask(const core::AttemptId&)>;
  using Ended = std::function<void()>;

  HollowAgent(net::asio::any_io_executor executor, protocol::Hub& hub, core::AgentId id, Script script, Ended ended)
      : executor_(std::move(executor)),
        hub_(hub),
        id_(std::move(id)),
        script_(std::move(script)),
        ended_(std::move(ended)) {}

  void start() { net::spawn(executor_, "a hollow agent", run(shared_from_this())); }
  // Simulates that its container was killed: nothing more is reported.
  void kill() {
    killed_ = true;
    end();
  }
  [[nodiscard]] bool runs_task() const { return runs_; }

 private:
  static net::awaitable<void> run(std::shared_ptr<HollowAgent> self) {
    const protocol::Hello hello{protocol::kProtocolVersion, std::string(core::kVersion), "hollow", 1};
    const auto welcome = self->hub_.hello(self->id_, boost::json::serialize(protocol::to_json(hello)));
    if (welcome)
      self->epoch_ = welcome->epoch;
    else
      self->over_ = true;
    protocol::Inbox inbox;
    while (!self->over_) {
      const auto answer = co_await self->hub_.commands(self->id_, inbox.last(), core::Seconds(60));
      if (!answer) break;  // the hub has forgotten this agent
      const auto body = answer->commands + (answer->gang == nullptr ? "" : *answer->gang);
      const auto take = [&](protocol::Sequence seq, const core::Result<protocol::Command>& command) {
        if (inbox.accept(seq) && command) std::visit([&](const auto& one) { self->on(one); }, *command);
      };
      (void)protocol::read_commands(body, {[&](protocol::Epoch epoch) { return epoch == self->epoch_; }, take});
    }
    if (self->killed_) co_return;
    self->end();
    self->ended_();
  }

  void on(const protocol::Prepare& request) {
    task_ = script_(request.attempt);
    if (!task_.cannot_prepare.empty()) return report(protocol::PrepareFailed{request.attempt, task_.cannot_prepare});
    static std::uint16_t next_port = 20'000;
    protocol::Prepared prepared{request.attempt, request.same_ports};
    for (auto i = std::ssize(request.same_ports); i < protocol::ports_reported(request); ++i)
      prepared.ports.push_back(next_port++);
    report(std::move(prepared));
  }
  void on(const protocol::Launch& request) {
    attempt_ = request.attempt;
    if (!task_.start_error.empty())
      return report(protocol::TaskStartFailed{attempt_, job::Cause::cannot_start, task_.start_error});
    runs_ = true;
    report(protocol::TaskStarted{attempt_, 4242});
    if (!task_.says.empty()) report(protocol::TaskOutput{attempt_, task_.says, {}, {}});
    if (!task_.never_ends) exit(task_.exit_code, task_.exit_signal);
  }
  void on(const protocol::Stop& request) {
    if (!task_.ignores_stop) return exit(0, SIGTERM);
    net::spawn(executor_, "the end of a grace", kill_after(shared_from_this(), request.grace));
  }
  void on(const protocol::Warn& /*request*/) {}
  void on(const protocol::CallOff& /*request*/) {}
  void on(const protocol::SchedulerExpect& /*request*/) {}
  void on(const protocol::SchedulerEnded& /*request*/) {}
  void on(const protocol::ReadLog& /*request*/) {}
  void on(const protocol::Release& /*request*/) { runs_ = false; }
  void on(const protocol::Shutdown& /*request*/) { end(); }

  static net::awaitable<void> kill_after(std::shared_ptr<HollowAgent> self, core::Millis grace) {
    if (grace > core::Millis(0)) co_await net::pause(grace);
    self->exit(0, SIGKILL);
  }

  void exit(int code, int signal) {
    if (!std::exchange(runs_, false) || over_) return;
    protocol::TaskExited exited;
    exited.attempt = attempt_;
    exited.status.code = code;
    exited.status.signal = signal;
    exited.problem = task_.results_problem;
    report(std::move(exited));
  }
  void end() {
    runs_ = false;
    over_ = true;
  }
  void report(protocol::Report report) {
    if (over_) return;
    const boost::json::object body{{"epoch", epoch_.number},
                                   {"first", static_cast<std::int64_t>(next_report_++)},
                                   {"reports", boost::json::array{protocol::to_json(report)}}};
    (void)hub_.reports(id_, boost::json::serialize(body));
  }

  net::asio::any_io_executor executor_;
  protocol::Hub& hub_;
  core::AgentId id_;
  Script script_;
  Ended ended_;
  HollowTask task_;
  core::AttemptId attempt_;
  protocol::Epoch epoch_;
  protocol::Sequence next_report_ = 1;
  bool runs_ = false;
  bool over_ = false;
  bool killed_ = false;
};

}  // namespace ydl::test
