// Random worlds against the machine: whatever happens, in whatever order, these hold.
#include "job/event_codec.hpp"
#include "script.hpp"

#include <map>
#include <random>
#include <set>

namespace ydl::job {
namespace {

// A backend that answers each action at some later moment, or loses the task, or is silent about it.
class World {
 public:
  explicit World(unsigned seed) : random_(seed), machine_(make_plan()) {}

  // Runs the story to completion. Returns the violated promise, or nothing.
  std::string run() {
    apply(Begin{});
    for (int step = 0; step < 5000 && !finished_; ++step) {
      if (!violation_.empty()) return violation_;
      if (pending_.empty() || chance(10))
        advance();
      else {
        const auto pick = static_cast<std::size_t>(roll(static_cast<int>(pending_.size())));
        const Event event = pending_[pick];
        pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(pick));
        note_end(event);
        apply(event);
        lose_place(event);
      }
      if (chance(300)) another_master();
      if (chance(150)) apply(StopRequested{"ann", Millis(roll(2000))});
      if (chance(30) && !seen_.empty()) watched(seen_[static_cast<std::size_t>(roll(static_cast<int>(seen_.size())))]);
      if (chance(200) && !seen_.empty())
        apply(Exited{seen_[static_cast<std::size_t>(roll(static_cast<int>(seen_.size())))], {1}}, Stale::yes);
    }
    if (!violation_.empty()) return violation_;
    if (!finished_) return "the job never ended";
    if (!live_.empty()) return "the job ended while " + live_.begin()->str() + " ran";
    if (!machine_.handle(Tick{}, now_ + core::Seconds(9999)).empty()) return "actions after the end";
    return {};
  }

  // What a machine knows that is told the same events from their written form.
  std::string replayed() const {
    Machine machine(machine_.plan());
    for (const auto& told : told_) {
      const auto event = decode_event(encode_event(told));
      if (!event) return event.error().message;
      (void)machine.handle(event->event, Instant(event->at));
    }
    return picture(machine);
  }
  [[nodiscard]] std::string states() const { return picture(machine_); }

 private:
  enum class Stale { no, yes };

  bool chance(int one_in) { return roll(one_in) == 0; }
  int roll(int sides) { return std::uniform_int_distribution<int>(0, sides - 1)(random_); }

  Plan make_plan() {
    Plan plan;
    plan.roles = {{"worker", 1 + roll(4), RoleKind::decider, static_cast<RestartUnit>(roll(3)), roll(3)}};
    if (auto& role = plan.roles[0]; chance(3)) {
      role.least = 1 + roll(role.count);
      plan.grow_every = core::Seconds(1 + roll(100));
    }
    if (chance(2)) plan.roles.push_back({"ps", 1 + roll(2), RoleKind::service, RestartUnit::task, roll(2)});
    if (chance(3)) plan.roles.push_back({"evaluator", 1, RoleKind::evaluator, RestartUnit::task, roll(2)});
    plan.job_retries = roll(2);
    plan.blacklist.mode = static_cast<Blacklist::Mode>(roll(3));
    plan.fail_fast = chance(2);
    if (chance(4)) plan.run_timeout = core::Seconds(1 + roll(500));
    return plan;
  }

  // Whatever agents and the cluster say of an attempt, old or new.
  void watched(const AttemptId& attempt) {
    switch (roll(5)) {
      case 0:
        return apply(FellSilent{attempt});
      case 1:
        return apply(WritesAgain{attempt});
      case 2:
        return apply(Warned{attempt, Cause::preempted, core::Seconds(15)});
      case 3:
        return apply(WarningOver{attempt});
      default:
        return apply(Saved{attempt});
    }
  }

  // Some containers are lost before a task runs in them.
  void lose_place(const Event& event) {
    const auto* placed = std::get_if<Placed>(&event);
    if (placed == nullptr || std::erase(lost_places_, placed->attempt) == 0 || launched_.contains(placed->attempt))
      return;
    pending_.emplace_back(Lost{placed->attempt, "its container is gone"});
  }

  void advance() {
    const auto deadline = machine_.next_deadline();
    if (pending_.empty() && !deadline) violation_ = "nothing pending and no deadline: the job hangs in " + states();
    now_ = deadline && chance(2) ? std::max(now_, *deadline) : now_ + core::Seconds(roll(20));
    apply(Tick{});
  }

  static std::string picture(const Machine& machine) {
    const auto snapshot = machine.snapshot();
    auto text = fmt::format("{} start {}", name(snapshot.state), snapshot.attempt);
    for (const auto& task : snapshot.tasks)
      text += fmt::format(", {}#{} {} ({}, {})", task.id.str(), task.attempt, name(task.state), task.reason,
                          name(task.cause)) +
              (task.is_member ? "" : " out");
    for (const auto& host : snapshot.avoided) text += fmt::format(", {} avoided: {}", host.node, host.reason);
    if (snapshot.outcome) text += fmt::format(": {}", snapshot.outcome->reason);
    return text;
  }

  void note_end(const Event& event) {
    if (const auto* exited = std::get_if<Exited>(&event)) live_.erase(exited->attempt);
    if (const auto* lost = std::get_if<Lost>(&event)) {
      live_.erase(lost->attempt);
      if (held_.erase(lost->attempt) > 0) lost_.insert(lost->attempt);
    }
    if (const auto* failed = std::get_if<StartFailed>(&event);
        failed != nullptr && failed->cause != Cause::port_taken) {
      live_.erase(failed->attempt);
    }
  }

  void apply(const Event& event, Stale stale = Stale::no) {
    // An exit the machine heard of twice, or of an attempt that still runs: only the first kind is stale.
    if (stale == Stale::yes && live_.contains(std::get<Exited>(event).attempt)) return;
    told_.push_back({std::chrono::duration_cast<Millis>(now_.time_since_epoch()), event});
    const auto actions = machine_.handle(event, now_);
    // A master can be lost between any two of them, or after all.
    const auto lost_before =
        chance(300) ? static_cast<std::size_t>(roll(static_cast<int>(actions.size()) + 1)) : actions.size() + 1;
    check_members();
    for (std::size_t i = 0; i < actions.size(); ++i) {
      if (i == lost_before) return another_master();
      check(actions[i]);
    }
  }

  // A machine that is told the written events goes on. What it does not adopt is ended, and must not run.
  void another_master() {
    if (finished_) return;
    Machine next(machine_.plan());
    for (const auto& told : told_) (void)next.handle(told.event, Instant(told.at));
    machine_.~Machine();
    new (&machine_) Machine(std::move(next));
    if (machine_.finished()) {
      finished_ = true;
      live_.clear();
      return;
    }
    now_ += core::Seconds(roll(100));
    avoided_.clear();
    adopted_.clear();
    told_.push_back({std::chrono::duration_cast<Millis>(now_.time_since_epoch()), TookOver{"host9"}});
    const auto actions = machine_.handle(TookOver{"host9"}, now_);
    for (const auto& action : actions) {
      const auto* adopt = std::get_if<Adopt>(&action);
      if (adopt == nullptr) continue;
      adopted_.insert(adopt->attempt);
      if (launched_.contains(adopt->attempt)) held_.insert(adopt->attempt);  // or was to be taken over
    }
    // It counted as lost, so no master adopts its container.
    for (const auto& task : machine_.snapshot().tasks) {
      if (task.state == TaskState::lost) live_.erase({task.id, task.attempt});
    }
    for (const auto& live : live_) {
      if (!adopted_.contains(live) && !releasing_.contains(live))
        violation_ = live.str() + " runs, and another master does not know it";
    }
    std::erase_if(held_, [&](const AttemptId& held) { return !adopted_.contains(held); });
    for (const auto& action : actions) check(action);
    if (finished_) live_.clear();
  }

  // An elastic role never has fewer tasks than its least, and none runs that the job does not have.
  void check_members() {
    std::map<std::string, int> members;
    for (const auto& task : machine_.snapshot().tasks) {
      if (task.is_member) ++members[task.id.role];
      const bool may_be_absent =
          task.state == TaskState::absent || task.state == TaskState::placed || task.state == TaskState::stopped;
      if (!task.is_member && !may_be_absent)
        violation_ = fmt::format("{} is {}, and the job does not have it", task.id.str(), name(task.state));
      if (task.is_member && task.state == TaskState::absent) violation_ = task.id.str() + " is absent, and counted";
    }
    for (const auto& role : machine_.plan().roles) {
      const int least = role.is_elastic() ? role.least : role.count;
      if (members[role.name] < least) violation_ = "too few tasks of role " + role.name;
    }
  }

  void check(const Action& action) {
    if (finished_) violation_ = "an action after Finish";
    if (const auto* ask = std::get_if<Ask>(&action)) {
      if (!asked_.insert(ask->attempt).second) violation_ = "asked twice for " + ask->attempt.str();
      for (const auto& live : live_) {
        if (live.task == ask->attempt.task) violation_ = "two attempts at once of " + live.task.str();
      }
      seen_.push_back(ask->attempt);
      const AttemptId before{ask->attempt.task, ask->takes_over.value_or(0)};
      if (ask->takes_over && held_.erase(before) == 0 && !lost_.contains(before) && launched_.contains(before))
        violation_ = ask->attempt.str() + " takes over a container that is not held";
      if (!ask->same_ports.empty() && chance(3)) {
        pending_.emplace_back(Lost{ask->attempt, "its container is gone"});
        return;
      }
      if (chance(20)) pending_.emplace_back(HostFailed{ask->attempt, host(), Cause::disk, "disk"});
      const bool is_elastic = machine_.plan().roles[0].is_elastic();
      if (is_elastic && chance(30)) pending_.emplace_back(CannotPlace{ask->attempt, "too large"});
      const bool comes = !chance(is_elastic ? 3 : 30);
      if (comes) pending_.emplace_back(Placed{ask->attempt, {"h", host(), {7000}}});
      if (comes && is_elastic && chance(20)) lost_places_.push_back(ask->attempt);
    } else if (const auto* launch = std::get_if<Launch>(&action)) {
      if (!launched_.insert(launch->attempt).second) return;  // by another master
      live_.insert(launch->attempt);
      held_.insert(launch->attempt);  // until it is released or taken over
      on_launch(launch->attempt);
    } else if (const auto* stop = std::get_if<Stop>(&action)) {
      if (!chance(20))
        pending_.emplace_back(Exited{stop->attempt, {0, 15}});
      else
        pending_.emplace_back(Lost{stop->attempt, "agent gone"});
    } else if (const auto* release = std::get_if<Release>(&action)) {
      std::erase_if(pending_, [&](const Event& event) {
        const auto* placed = std::get_if<Placed>(&event);
        return placed != nullptr && placed->attempt == release->attempt;
      });
      held_.erase(release->attempt);
      if (live_.contains(release->attempt) && releasing_.insert(release->attempt).second)
        pending_.emplace_back(Lost{release->attempt, "released", Cause::stopped});
    } else if (const auto* avoid = std::get_if<AvoidHost>(&action)) {
      if (!avoided_.insert(avoid->node).second) violation_ = "avoided twice: " + avoid->node;
      if (avoided_.size() == kHosts) pending_.emplace_back(NoHostLeft{"worker"});
    } else if (const auto* forgive = std::get_if<ForgiveHost>(&action)) {
      if (avoided_.erase(forgive->node) == 0) violation_ = "forgiven, and not avoided: " + forgive->node;
    } else if (std::holds_alternative<Finish>(action)) {
      finished_ = true;
      std::erase_if(live_, [this](const AttemptId& live) { return releasing_.contains(live); });
      if (!held_.empty()) violation_ = "the job ended with a container held for " + held_.begin()->str();
    }
  }

  void on_launch(const AttemptId& attempt) {
    switch (roll(12)) {
      case 0:
        pending_.emplace_back(StartFailed{attempt, Cause::start_failed, "no luck"});
        return;
      case 1:
        pending_.emplace_back(StartFailed{attempt, Cause::port_taken, "port"});
        break;
      case 2:
        return;  // silence: the start time-out must notice
      default:
        break;
    }
    pending_.emplace_back(Started{attempt, 1});
    if (chance(6))
      pending_.emplace_back(Lost{attempt, "host gone"});
    else {
      ExitStatus status{chance(3) ? 1 : 0};
      if (chance(2)) status.last_line = "error " + std::to_string(roll(100));
      pending_.emplace_back(Exited{attempt, status});
    }
  }

  static constexpr int kHosts = 3;
  std::string host() { return "host" + std::to_string(roll(kHosts)); }

  std::mt19937 random_;
  Machine machine_;
  Instant now_{core::Seconds(1)};
  std::vector<Event> pending_;
  std::vector<TimedEvent> told_;
  std::set<AttemptId> asked_;
  std::set<AttemptId> launched_;
  std::set<AttemptId> live_;
  std::set<AttemptId> releasing_;  // while they ran
  std::set<AttemptId> adopted_;    // by the newest master
  std::set<AttemptId> held_;       // containers
  std::set<AttemptId> lost_;       // the same, and gone since
  std::set<std::string> avoided_;
  std::vector<AttemptId> seen_;
  std::vector<AttemptId> lost_places_;
  bool finished_ = false;
  std::string violation_;
};

TEST(JobProperty, every_story_ends_with_nothing_running_and_never_two_attempts_of_one_task) {
  for (unsigned seed = 1; seed <= 3000; ++seed) {
    World world(seed);
    ASSERT_EQ(world.run(), "") << "seed " << seed;
    if (seed % 10 == 0) ASSERT_EQ(world.replayed(), world.states()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace ydl::job
