#pragma once

#include "core/strings.hpp"
#include "job/machine.hpp"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace ydl::job {

// Drives a Machine as a story: a test states what happens and compares the resulting actions as text.
//   "ask worker:0#1", "launch worker:0#1", "stop worker:0#1 10 s", "release worker:0#1", "finish failed 3"
//   "ask worker:0#2 after #1": in the container of attempt 1; "on 7000": with this port; "not on host1"
//   "avoid host1", "forgive host1", "warn worker:0#1 of worker:1 14 s", "call off worker:0#1"
//   "stop worker:0#1 10 s with stacks"
//   "adopt worker:0#1 launched on host1"
class Script {
 public:
  using Strings = std::vector<std::string>;

  explicit Script(Plan plan) : machine(std::move(plan)) {}

  // The master dies and another one takes over: a machine that was told the same events, and nothing else.
  Strings another_master(Millis after = core::Seconds(5)) {
    Machine replayed(machine.plan());
    for (const auto& [at, event] : told) (void)replayed.handle(event, at);
    machine.~Machine();
    new (&machine) Machine(std::move(replayed));
    now += after;
    return happens(TookOver{"host9"});
  }

  Strings begin() { return happens(Begin{}); }
  Strings placed(const std::string& task, const std::string& node = "host1") {
    return happens(Placed{attempt(task), {"127.0.0.1", node, {7000}}});
  }
  Strings granted(const std::string& task) { return happens(Granted{attempt(task), "host1"}); }
  Strings reached(const std::string& task) { return happens(Reached{attempt(task)}); }
  Strings waits(const std::string& task, std::string why) {
    return happens(NotPlacedYet{attempt(task), std::move(why)});
  }
  Strings cannot_place(const std::string& task, std::string why) {
    return happens(CannotPlace{attempt(task), std::move(why)});
  }
  Strings started(const std::string& task) { return happens(Started{attempt(task), 42}); }
  Strings start_failed(const std::string& task, Cause how, std::string why) {
    return happens(StartFailed{attempt(task), how, std::move(why)});
  }
  Strings saved(const std::string& task) { return happens(Saved{attempt(task)}); }
  Strings falls_silent(const std::string& task) { return happens(FellSilent{attempt(task)}); }
  Strings writes_again(const std::string& task) { return happens(WritesAgain{attempt(task)}); }
  Strings warned(const std::string& task, Cause cause = Cause::preempted) {
    return happens(Warned{attempt(task), cause, core::Seconds(14)});
  }
  Strings warning_over(const std::string& task) { return happens(WarningOver{attempt(task)}); }
  Strings saves(const std::string& task) { return happens(Saving{attempt(task)}); }
  Strings exits(const std::string& task, int code, std::string last_line = {}) {
    ExitStatus status{code};
    status.last_line = std::move(last_line);
    return happens(Exited{attempt(task), status});
  }
  Strings killed(const std::string& task, int signal) { return happens(Exited{attempt(task), ExitStatus{0, signal}}); }
  Strings lost(const std::string& task, std::string why, Cause cause = Cause::agent_lost) {
    return happens(Lost{attempt(task), std::move(why), cause});
  }
  Strings stop(std::optional<Millis> grace = std::nullopt) { return happens(StopRequested{"ann", grace}); }
  Strings passes(Millis time) {
    now += time;
    return happens(Tick{});
  }

  // Lets every task of the plan be placed and start, on separate hosts if asked to: "host1", "host2", …
  enum class Hosts { one, many };
  void run_all(Hosts hosts = Hosts::one) {
    begin();
    int number = 1;
    for (const auto& task : machine.snapshot().tasks)
      placed(task.id.str(), fmt::format("host{}", hosts == Hosts::one ? 1 : number++));
    for (const auto& task : machine.snapshot().tasks) started(task.id.str());
    ASSERT_EQ(machine.snapshot().state, JobState::running);
  }

  Strings happens(const Event& event) {
    Strings wanted;
    told.emplace_back(now, event);
    for (const auto& action : machine.handle(event, now)) {
      if (const auto* record = std::get_if<Record>(&action))
        records.push_back(*record);
      else if (const auto meeting = rendezvous_text(action); !meeting.empty())
        rendezvous.push_back(meeting);
      else
        wanted.push_back(text(action));
    }
    return wanted;
  }

  // The latest attempt unless one is named: "worker:0" or "worker:0#1".
  AttemptId attempt(const std::string& text) const {
    const auto hash = text.find('#');
    const auto id = *TaskId::parse(std::string_view(text).substr(0, hash));
    if (hash != std::string::npos) return {id, *core::parse_int<int>(std::string_view(text).substr(hash + 1))};
    return {id, task(text).attempt};
  }
  TaskSnapshot task(const std::string& id) const {
    for (const auto& task : machine.snapshot().tasks) {
      if (task.id.str() == id) return task;
    }
    ADD_FAILURE() << "no task " << id;
    return {};
  }
  bool said(RecordKind kind, std::string_view part) const {
    for (const auto& record : records) {
      if (record.kind == kind && record.text.find(part) != std::string::npos) return true;
    }
    return false;
  }
  // Lets the time pass that the machine waits for before it does anything else.
  Strings waits_no_longer() {
    now = std::max(now, *machine.next_deadline());
    return happens(Tick{});
  }
  std::string state() const { return std::string(name(machine.snapshot().state)); }
  std::string state_of(const std::string& id) const { return std::string(name(task(id).state)); }

  Machine machine;
  Instant now{core::Seconds(1000)};
  std::vector<Record> records;
  std::vector<std::pair<Instant, Event>> told;
  Strings rendezvous;  // "open", "close", "worker:0#1 restarts"

 private:
  static std::string rendezvous_text(const Action& action) {
    if (std::holds_alternative<OpenRendezvous>(action)) return "open";
    if (std::holds_alternative<CloseRendezvous>(action)) return "close";
    const auto* member = std::get_if<MemberEnded>(&action);
    if (member == nullptr) return "";
    using Next = MemberEnded::Next;
    const auto* const next = member->next == Next::unknown    ? "unknown"
                             : member->next == Next::restarts ? "restarts"
                             : member->next == Next::left     ? "left"
                                                              : "gone";
    return fmt::format("{}#{} {}", member->attempt.task.str(), member->attempt.attempt, next);
  }
  static std::string text(const Action& action) {
    const auto id = [](const AttemptId& a) { return fmt::format("{}#{}", a.task.str(), a.attempt); };
    if (const auto* ask = std::get_if<Ask>(&action)) {
      auto text = "ask " + id(ask->attempt);
      if (ask->takes_over) text += fmt::format(" after #{}", *ask->takes_over);
      for (const auto port : ask->same_ports) text += fmt::format(" on {}", port);
      for (const auto& node : ask->not_on) text += fmt::format(" not on {}", node);
      return text;
    }
    if (const auto* adopt = std::get_if<Adopt>(&action)) {
      const auto* const stage = adopt->stage == Adopt::Stage::placed     ? "placed"
                                : adopt->stage == Adopt::Stage::launched ? "launched"
                                                                         : "over";
      return fmt::format("adopt {} {} on {}", id(adopt->attempt), stage, adopt->place.node);
    }
    if (const auto* avoid = std::get_if<AvoidHost>(&action)) return "avoid " + avoid->node;
    if (const auto* forgive = std::get_if<ForgiveHost>(&action)) return "forgive " + forgive->node;
    if (const auto* launch = std::get_if<Launch>(&action)) return "launch " + id(launch->attempt);
    if (const auto* release = std::get_if<Release>(&action)) return "release " + id(release->attempt);
    if (const auto* stop = std::get_if<Stop>(&action)) {
      return fmt::format("stop {} {}{}", id(stop->attempt), core::format_duration(stop->grace),
                         stop->writes_stacks ? " with stacks" : "");
    }
    if (const auto* warn = std::get_if<Warn>(&action)) {
      return fmt::format("warn {} of {} {}", id(warn->attempt), warn->task.str(), core::format_duration(warn->within));
    }
    if (const auto* call_off = std::get_if<CallOff>(&action)) return "call off " + id(call_off->attempt);
    const auto& finish = std::get<Finish>(action);
    return fmt::format("finish {} {}", name(finish.outcome.state), finish.outcome.exit_code);
  }
};

inline Plan workers(int count) {
  Plan plan;
  plan.roles = {{"worker", count}};
  return plan;
}

}  // namespace ydl::job
