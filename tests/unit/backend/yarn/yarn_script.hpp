#pragma once

#include "backend/yarn/yarn_machine.hpp"
#include "core/strings.hpp"
#include "hrpc/errors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace ydl::backend::test {

using Lines = std::vector<std::string>;

inline std::string brief(const core::AttemptId& attempt) {
  return fmt::format("{}#{}", attempt.task.str(), attempt.attempt);
}

// One line for each action with an effect outside of the master: "start 1,2 on node1", "job: lost worker:0#1".
class Describe {
 public:
  std::string operator()(const RegisterMaster& /*action*/) const { return "register"; }
  std::string operator()(const Allocate& action) const {
    std::string line = "allocate";
    for (const auto& ask : action.request.asks) {
      if (ask.location == yarn::kAnywhere) line += fmt::format(" {}", ask.count);
    }
    for (const auto& id : action.request.releases) line += fmt::format(" release {}", id.id);
    for (const auto& host : action.request.avoid) line += fmt::format(" avoid {}", host);
    for (const auto& host : action.request.forgive) line += fmt::format(" forgive {}", host);
    return line;
  }
  std::string operator()(const UseToken& action) const { return "use token " + action.token.identifier; }
  std::string operator()(const StartContainers& action) const {
    std::string line = "start";
    for (const auto& container : action.containers) line += fmt::format(" {}", container.id.id);
    return line + " on " + action.node.host;
  }
  std::string operator()(const StopContainer& action) const { return fmt::format("stop {}", action.id.id); }
  std::string operator()(const LookAtContainer& action) const {
    return fmt::format("look at {}{}", action.id.id, action.token ? "" : " on " + action.page);
  }
  std::string operator()(const RevokeAgent& action) const { return fmt::format("revoke {}", action.id.id); }
  std::string operator()(const GiveUpJob& /*action*/) const { return "give up the job"; }
  std::string operator()(const SaveLogs& action) const {
    return fmt::format("save logs of {} at {} to {}", action.container.id.id, action.address, action.copies);
  }
  std::string operator()(const ExpectAgent& action) const { return fmt::format("expect agent {}", action.id.id); }
  std::string operator()(const SendToAgent& action) const {
    return fmt::format("agent {}: {}", action.id.id, std::visit(CommandName{}, action.command));
  }
  std::string operator()(const ForgetAgent& action) const { return fmt::format("forget agent {}", action.id.id); }
  std::string operator()(const TellJob& action) const { return "job: " + std::visit(EventName{}, action.event); }
  std::string operator()(const TellUser& action) const { return "user: " + action.text; }
  std::string operator()(const PassOutput& action) const { return "output: " + action.output.last_line; }
  std::string operator()(const LogLine& /*action*/) const { return ""; }

 private:
  struct CommandName {
    std::string operator()(const protocol::Prepare& one) const { return "prepare " + brief(one.attempt); }
    std::string operator()(const protocol::Launch& one) const { return "launch " + brief(one.attempt); }
    std::string operator()(const protocol::Stop& one) const { return "stop " + brief(one.attempt); }
    std::string operator()(const protocol::Warn& one) const { return "warn " + brief(one.attempt); }
    std::string operator()(const protocol::CallOff& one) const { return "call off " + brief(one.attempt); }
    std::string operator()(const protocol::SchedulerExpect& one) const { return "expect nodes " + brief(one.attempt); }
    std::string operator()(const protocol::SchedulerEnded& one) const { return "node ended " + brief(one.attempt); }
    std::string operator()(const protocol::ReadLog& /*one*/) const { return "read log"; }
    std::string operator()(const protocol::Release& one) const { return "release " + brief(one.attempt); }
    std::string operator()(const protocol::Shutdown& /*one*/) const { return "shutdown"; }
  };
  struct EventName {
    std::string operator()(const job::Granted& one) const {
      return "granted " + brief(one.attempt) + " on " + one.node;
    }
    std::string operator()(const job::Reached& one) const { return "reached " + brief(one.attempt); }
    std::string operator()(const job::Placed& one) const {
      return fmt::format("placed {} on {} at {}", brief(one.attempt), one.place.node, one.place.host);
    }
    std::string operator()(const job::NotPlacedYet& one) const {
      return "waits " + brief(one.attempt) + ": " + one.reason;
    }
    std::string operator()(const job::CannotPlace& one) const {
      return "cannot place " + brief(one.attempt) + ": " + one.reason;
    }
    std::string operator()(const job::Started& one) const { return "started " + brief(one.attempt); }
    std::string operator()(const job::StartFailed& one) const { return "start failed " + brief(one.attempt); }
    std::string operator()(const job::Saving& one) const { return "saving " + brief(one.attempt); }
    std::string operator()(const job::Exited& one) const {
      return fmt::format("exited {}: {}", brief(one.attempt), one.status.shell_code());
    }
    std::string operator()(const job::Lost& one) const { return "lost " + brief(one.attempt) + ": " + one.reason; }
    std::string operator()(const job::HostFailed& one) const {
      return fmt::format("host failed {} on {}, {}: {}", brief(one.attempt), one.node, core::name(one.cause),
                         one.reason);
    }
    std::string operator()(const job::NoHostLeft& one) const { return "no host left for " + one.role; }
    std::string operator()(const job::Warned& one) const {
      return fmt::format("warned {}, {}, {}", brief(one.attempt), core::name(one.cause),
                         core::format_duration(one.within));
    }
    std::string operator()(const job::WarningOver& one) const { return "warning over " + brief(one.attempt); }
    std::string operator()(const job::Broken& one) const { return "broken: " + one.reason; }
    std::string operator()(const job::RendezvousFailed& one) const { return "rendezvous failed: " + one.reason; }
    std::string operator()(const auto& /*other*/) const { return "another event"; }
  };
};

inline Lines lines(const YarnActions& actions) {
  Lines lines;
  for (const auto& action : actions) {
    if (auto line = std::visit(Describe{}, action); !line.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

// A job of workers on a cluster of six hosts, played by hand: each step returns the actions of the machine.
class YarnScript : public ::testing::Test {
 protected:
  static core::AttemptId worker(int index, int attempt = 1) { return {{"worker", index}, attempt}; }
  static yarn::ContainerId id(int number) { return {{{1700000000000, 1}, 1}, number}; }
  static yarn::NodeId node(const std::string& host) { return {host, 8041}; }
  static yarn::Container container(int number, const std::string& host = "node1") {
    return {.id = id(number),
            .node = node(host),
            .node_http_address = host + ":8042",
            .resource = {.memory_mib = 2048, .vcores = 1},
            .key = {{1}, 1}};
  }
  static yarn::ContainerStatus end_of(int number, int exit_status) {
    return {.id = id(number), .state = yarn::ContainerState::complete, .exit_status = exit_status};
  }
  static core::Error thrown(const std::string& name, const std::string& message = "",
                            std::error_code code = make_error_code(core::Errc::io)) {
    return {code, name, core::RemoteException{"org.apache.hadoop.yarn.exceptions." + name, message}};
  }
  static core::Error connection_lost() { return {make_error_code(hrpc::Errc::connection_lost), "lost"}; }

  static YarnJob job() {
    YarnJob job;
    job.queue = "default";
    job.folder = "/user/ann/.ydl/jobs/x";
    job.results = "/user/ann/.ydl/jobs/x/results";
    for (int i = 1; i <= 6; ++i)
      job.nodes.push_back({.id = node(fmt::format("node{}", i)), .capability = {.memory_mib = 8192, .vcores = 8}});
    return job;
  }
  static YarnMachineOptions options() {
    return {.roles = {{.name = "worker", .resource = {.memory_mib = 2048, .vcores = 1}}}, .master = "10.0.0.1:4711"};
  }

  // ---- steps
  void start() {
    EXPECT_THAT(tick(), ::testing::ElementsAre("register"));
    EXPECT_THAT(lines(machine_.registered(all_tokens(), now_)), ::testing::IsEmpty());
    for (int i = 1; i <= 6; ++i) machine_.node_found(fmt::format("node{}", i), fmt::format("10.0.1.{}", i));
  }
  static yarn::Registration all_tokens() {
    yarn::Registration registration;
    for (int i = 1; i <= 6; ++i)
      registration.nm_tokens.push_back({node(fmt::format("node{}", i)), {"token", "", "NMToken", ""}});
    return registration;
  }
  Lines tick() {
    return lines(machine_.tick(
        [this](const yarn::ContainerId& agent) {
          const auto found = heard_.find(agent);
          return found == heard_.end() ? now_ : found->second;
        },
        now_));
  }
  Lines place(int index) { return lines(machine_.place({.attempt = worker(index), .ports = 1}, now_)); }
  // The attempt after the first one, in its container if possible.
  Lines place_next(int index, TaskRequest wishes = {}) {
    wishes.attempt = worker(index, 2);
    wishes.ports = 1;
    wishes.takes_over = worker(index);
    return lines(machine_.place(wishes, now_));
  }
  // The next heartbeat; it is answered with nothing.
  Lines beat() {
    auto done = to_heartbeat();
    EXPECT_THAT(lines(machine_.allocated({.response_id = ++response_id_}, now_)), ::testing::IsEmpty());
    return done;
  }
  // What follows from the answer to the next heartbeat.
  Lines answered(yarn::AllocateResponse response) {
    (void)to_heartbeat();
    response.response_id = ++response_id_;
    return lines(machine_.allocated(response, now_));
  }
  // Until a heartbeat is under way.
  Lines to_heartbeat() {
    for (int i = 0; i < 100; ++i) {
      now_ = std::max(now_, machine_.next_deadline(now_));
      auto done = tick();
      if (!done.empty() && done.back().starts_with("allocate")) return done;
    }
    return {"no heartbeat"};
  }
  Lines report(int number, const protocol::Report& report) {
    return lines(machine_.reported(id(number), report, now_));
  }
  void place_on(int index, int number, const std::string& host = "node1") {
    (void)place(index);
    (void)answered({.granted = {container(number, host)}});
    (void)report(number, protocol::Prepared{worker(index), {4000}});
  }
  void launch_on(int index, int number, const std::string& host = "node1") {
    place_on(index, number, host);
    EXPECT_THAT(lines(machine_.launch({worker(index), {"train"}, {}}, now_)),
                ::testing::ElementsAre(fmt::format("agent {}: launch {}", number, brief(worker(index)))));
  }

  core::Instant now_{core::Millis(1'000'000)};
  YarnMachine machine_{job(), options()};
  std::map<yarn::ContainerId, core::Instant> heard_;  // agents not named here have just called
  int response_id_ = 0;
};

}  // namespace ydl::backend::test
