#include "agent_model.hpp"

#include "cluster.hpp"
#include "master_model.hpp"

#include <algorithm>

namespace ydl::chaos {
namespace {

constexpr Millis kCallTime = Seconds(30);
// What a master counts with: 15 s of the 60 after a revocation, and 8 s of an agent that shuts down.
constexpr Millis kLeaves = Seconds(12);
constexpr Millis kProcessEnds = Seconds(7);
constexpr Millis kOrphan = std::chrono::minutes(30);

}  // namespace

AgentModel::AgentModel(World& world, yarn::ContainerId id, std::string host, int master)
    : world_(world),
      id_(std::move(id)),
      host_(std::move(host)),
      master_(master),
      lease_({.outlives_master = kOrphan, .has_folder = true}, world.sim.now()) {}

void AgentModel::later(Millis delay, void (AgentModel::*what)()) {
  world_.sim.after(delay, [self = shared_from_this(), what] {
    if (self->alive_) ((*self).*what)();
  });
}

void AgentModel::start() {
  world_.sim.note("agent {} starts on {}", id_.id, host_);
  say_first_hello();
}

void AgentModel::kill(const std::string& why) {
  if (!std::exchange(alive_, false)) return;
  world_.sim.note("agent {} ends: {}", id_.id, why);
  for (auto& [attempt, task] : tasks_) {
    if (std::exchange(task.has_process, false)) world_.process_ends(attempt, id_);
  }
  for (const auto& attempt : going_) world_.process_ends(attempt, id_);
}

// The agent ends by itself: its tasks are killed first, which takes a moment.
void AgentModel::leave(const std::string& why) {
  if (!alive_) return;
  world_.sim.note("agent {} leaves: {}", id_.id, why);
  shutting_down_ = leaves_ = true;
  world_.sim.after(world_.sim.between(Millis(0), kLeaves), [self = shared_from_this(), why] {
    if (!self->alive_) return;
    self->kill(why);
    self->world_.cluster->container_exited(self->id_, 0);
  });
}

// ---- calls -----------------------------------------------------------------------------------------------------

void AgentModel::send_hello(int master, Millis within, std::function<void(std::optional<Answer>)> done) {
  const auto decided = std::make_shared<bool>(false);
  const auto once = [self = shared_from_this(), decided, done = std::move(done)](std::optional<Answer> answer) {
    if (!std::exchange(*decided, true) && self->alive_) done(std::move(answer));
  };
  world_.sim.after(within, [once] { once(std::nullopt); });
  const auto target = world_.masters.at(master);
  const protocol::Hello hello{.version = "", .node = host_, .holds = session_.held()};
  world_.sim.after(world_.sim.latency(), [self = shared_from_this(), target, once, hello] {
    auto& world = self->world_;
    if (!self->alive_ || !world.reaches(self->host_, target->host())) return;  // until the time is over
    if (!target->is_serving()) return once(std::nullopt);
    if (world.faulty(world.faults.calls_break, 20)) return once(std::nullopt);
    auto answer = target->hello(self->id_, hello);
    const bool breaks = world.faulty(world.faults.calls_break, 20);
    world.sim.after(world.sim.latency(), [self, target, once, answer = std::move(answer), breaks] {
      if (breaks) return once(std::nullopt);
      if (self->world_.reaches(self->host_, target->host())) once(answer);
    });
  });
}

void AgentModel::say_first_hello() {
  send_hello(master_, Seconds(10), [this](const std::optional<Answer>& answer) {
    using Status = Answer::Status;
    if (answer && answer->status == Status::ok && answer->epoch >= session_.epoch()) {
      obey(answer->epoch);
      return exchange();
    }
    const bool is_refused = answer && answer->status != Status::ok && answer->status != Status::try_again;
    if (is_refused) return leave("its first hello is refused");
    lease_.unheard(world_.sim.now(), "no hello");
    auto action = lease_.next(world_.sim.now());
    const auto go_on = [this](const agent::MasterLease::Action& next) {
      if (const auto* give_up = std::get_if<agent::MasterLease::GiveUp>(&next)) return leave(give_up->why);
      if (const auto* other = std::get_if<agent::MasterLease::SayHello>(&next)) master_ = other->master.port;
      later(Millis(200), &AgentModel::say_first_hello);
    };
    if (!std::holds_alternative<agent::MasterLease::Look>(action)) return go_on(action);
    look(std::get<agent::MasterLease::Look>(action).within);
    world_.sim.after(std::get<agent::MasterLease::Look>(action).within + Millis(1), [self = shared_from_this(), go_on] {
      if (self->alive_) go_on(self->lease_.next(self->world_.sim.now()));
    });
  });
}

void AgentModel::obey(protocol::Epoch epoch) {
  if (!session_.accept(epoch)) world_.sim.fail("an agent obeys a lower epoch");
  sent_ = session_.reports().first() - 1;
  lease_.heard(world_.sim.now(), epoch.number);
}

void AgentModel::exchange() {
  if (!alive_ || leaves_ || calling_successor_ || open_call_ != 0) return;
  const int call = open_call_ = ++last_call_;
  const auto& outbox = session_.reports();
  Exchange body{
      session_.epoch(), outbox.first(), {outbox.items().begin(), outbox.items().end()}, session_.last_command()};
  sent_ = outbox.last();
  const auto self = shared_from_this();
  world_.sim.after(kCallTime, [self, call] { self->answered(call, std::nullopt); });
  const auto target = world_.masters.at(master_);
  if (world_.faulty(world_.faults.calls_break, 50)) {
    world_.sim.after(world_.sim.latency(), [self, call] { self->answered(call, std::nullopt); });
    return;
  }
  world_.sim.after(world_.sim.latency(), [self, call, target, body = std::move(body)] {
    if (!self->alive_ || self->open_call_ != call || !self->world_.reaches(self->host_, target->host())) return;
    if (!target->is_serving()) return self->answered(call, std::nullopt);
    target->exchange(self, call, body);
  });
}

void AgentModel::answered(int call, std::optional<Answer> answer) {
  if (!alive_ || leaves_ || open_call_ != call) return;
  open_call_ = 0;
  if (!answer) return failed("a call failed");
  if (answer->status == Answer::Status::unknown_agent) return leave("its master does not know it");
  if (answer->status != Answer::Status::ok) return failed("its master refuses a call");
  take(*answer);
}

void AgentModel::take(const Answer& answer) {
  const auto epoch = session_.epoch();
  session_.confirm(epoch, sent_);
  if (!session_.accept(answer.epoch)) return failed("an answer of an earlier master");
  auto seq = answer.first;
  for (const auto& command : answer.commands) {
    if (session_.accept_command(seq++) && !shutting_down_) {
      std::visit([this](const auto& one) { on(one); }, command);
    }
  }
  lease_.heard(world_.sim.now(), session_.epoch().number);
  exchange();
}

void AgentModel::failed(const std::string& why) {
  if (lease_.hears_master()) world_.sim.note("agent {} does not hear its master {}: {}", id_.id, master_, why);
  lease_.unheard(world_.sim.now(), why);
  later(world_.sim.between(Millis(100), Seconds(1)), &AgentModel::exchange);
  if (!std::exchange(searching_, true)) search();
}

void AgentModel::search() {
  if (leaves_ || lease_.hears_master()) {
    searching_ = false;
    return;
  }
  auto action = lease_.next(world_.sim.now());
  if (const auto* wait = std::get_if<agent::MasterLease::Wait>(&action)) {
    later(std::max(wait->at_most, Millis(1)), &AgentModel::search);
  } else if (const auto* one = std::get_if<agent::MasterLease::Look>(&action)) {
    look(one->within);
    later(one->within + Millis(1), &AgentModel::search);
  } else if (const auto* successor = std::get_if<agent::MasterLease::SayHello>(&action)) {
    call_successor(successor->master, successor->within);
  } else {
    leave(std::get<agent::MasterLease::GiveUp>(action).why);
  }
}

// Two questions, as in job_folder_look.cpp: what is written between them is seen in part.
void AgentModel::look(Millis within) {
  const auto began = world_.sim.now();
  const auto self = shared_from_this();
  const auto decided = std::make_shared<bool>(false);
  const auto found = [self, began, decided](agent::FolderLook seen) {
    if (self->alive_ && !std::exchange(*decided, true)) self->lease_.looked(began, std::move(seen));
  };
  world_.sim.after(within, [found] { found(agent::Unreadable{"HDFS does not answer"}); });
  const auto is_revoked = std::make_shared<bool>(false);
  call_hdfs(
      world_, host_, [self, is_revoked] { *is_revoked = self->world_.hdfs.revoked.contains(self->id_); },
      [self, found, is_revoked](bool answered) {
        if (!answered) return found(agent::Unreadable{"no answer"});
        if (*is_revoked) return found(agent::FolderState{.is_revoked = true, .master = std::nullopt});
        const auto seen = std::make_shared<std::optional<Hdfs::Endpoint>>();
        call_hdfs(
            self->world_, self->host_, [self, seen] { *seen = self->world_.hdfs.endpoint; },
            [found, seen](bool again) {
              agent::FolderState state;
              if (again && *seen) {
                state.master = {(*seen)->host, static_cast<std::uint16_t>((*seen)->master), (*seen)->epoch};
              }
              found(state);
            });
      });
}

void AgentModel::call_successor(const agent::MasterPlace& place, Millis within) {
  calling_successor_ = true;
  open_call_ = 0;
  const int master = place.port;
  send_hello(master, within, [this, master](const std::optional<Answer>& answer) {
    using Status = Answer::Status;
    calling_successor_ = false;
    if (answer && answer->status == Status::ok && answer->epoch >= session_.epoch()) {
      world_.sim.note("agent {} obeys master {} (epoch {})", id_.id, master, answer->epoch.number);
      master_ = master;
      obey(answer->epoch);
    } else if (answer && answer->status != Status::ok && answer->status != Status::try_again) {
      return leave("another master refuses it");
    } else {
      lease_.unheard(world_.sim.now(), "the successor does not answer");
    }
    exchange();
    search();
  });
}

// ---- commands --------------------------------------------------------------------------------------------------

void AgentModel::push(protocol::Report report) {
  session_.push(std::move(report));
  if (open_call_ == 0) return;
  // A second call lets the master answer the first one.
  const auto target = world_.masters.at(master_);
  world_.sim.after(world_.sim.latency(), [self = shared_from_this(), target] {
    if (self->alive_ && self->world_.reaches(self->host_, target->host())) target->answer_now(self->id_);
  });
}

void AgentModel::tell(protocol::Report report) {
  if (!shutting_down_) push(std::move(report));
}

void AgentModel::with_task(Millis delay, const core::AttemptId& attempt, void (*what)(AgentModel&, Task&)) {
  world_.sim.after(delay, [self = shared_from_this(), attempt, what] {
    const auto found = self->tasks_.find(attempt);
    if (self->alive_ && found != self->tasks_.end()) what(*self, found->second);
  });
}

void AgentModel::on(const protocol::Prepare& command) {
  if (tasks_.contains(command.attempt)) return;
  session_.hold(command.attempt);
  tasks_[command.attempt].request = command;
  with_task(world_.sim.between(Millis(20), Millis(800)), command.attempt, [](AgentModel& self, Task& task) {
    const auto& attempt = task.request.attempt;
    if (self.world_.faulty(self.world_.faults.start_fails, 10)) {
      task.phase = Task::Phase::over;
      return self.tell(protocol::PrepareFailed{attempt, "no room", job::Cause::disk, false});
    }
    task.phase = Task::Phase::prepared;
    auto ports = task.request.same_ports;
    for (int i = 0; ports.empty() && i < task.request.ports; ++i)
      ports.push_back(static_cast<std::uint16_t>(20'000 + self.world_.sim.roll(10'000)));
    self.tell(protocol::Prepared{attempt, ports});
  });
}

void AgentModel::on(const protocol::Launch& command) {
  const auto found = tasks_.find(command.attempt);
  if (found == tasks_.end() || std::exchange(found->second.was_launched, true)) return;
  auto& task = found->second;
  if (task.phase != Task::Phase::prepared) return;
  if (world_.faulty(world_.faults.start_fails, 10)) {
    task.phase = Task::Phase::over;
    return tell(protocol::TaskStartFailed{command.attempt, job::Cause::start_failed, "no luck"});
  }
  task.phase = Task::Phase::running;
  task.has_process = true;
  world_.process_starts(command.attempt, id_);
  tell(protocol::TaskStarted{command.attempt, 1});
  run_task(command.attempt);
}

void AgentModel::run_task(const core::AttemptId& attempt) {
  const auto time = world_.sim.between(Millis(500), world_.faults.longest_task);
  world_.sim.after(time, [self = shared_from_this(), attempt] {
    auto& world = self->world_;
    job::ExitStatus status;
    if (world.faulty(world.faults.task_fails, 4)) {
      status.code = 1;
      status.last_line = fmt::format("error {}", world.sim.roll(3));
    }
    self->end_process(attempt, status);
  });
}

void AgentModel::end_process(const core::AttemptId& attempt, job::ExitStatus status) {
  const auto found = tasks_.find(attempt);
  if (!alive_ || found == tasks_.end() || found->second.phase != Task::Phase::running) return;
  found->second.phase = Task::Phase::over;
  found->second.has_process = false;
  world_.process_ends(attempt, id_);
  tell(protocol::TaskSaving{attempt});
  world_.sim.after(world_.sim.between(Millis(0), Seconds(2)), [self = shared_from_this(), attempt, status] {
    if (self->alive_ && self->tasks_.contains(attempt)) self->tell(protocol::TaskExited{attempt, status, 0, {}});
  });
}

void AgentModel::kill_a_task() {
  for (const auto& [attempt, task] : tasks_) {
    if (task.phase != Task::Phase::running) continue;
    world_.sim.note("fault: {} is killed", brief(attempt));
    job::ExitStatus status;
    status.signal = 9;
    return end_process(attempt, status);
  }
}

void AgentModel::on(const protocol::Stop& command) {
  const auto found = tasks_.find(command.attempt);
  if (found == tasks_.end() || found->second.phase != Task::Phase::running) return;
  world_.sim.after(world_.sim.between(Millis(0), command.grace + Millis(50)),
                   [self = shared_from_this(), attempt = command.attempt] {
                     job::ExitStatus status;
                     status.signal = 15;
                     self->end_process(attempt, status);
                   });
}

void AgentModel::on(const protocol::Release& command) {
  session_.release(command.attempt);
  const auto found = tasks_.find(command.attempt);
  if (found == tasks_.end()) {
    if (!going_.contains(command.attempt)) tell(protocol::TaskGone{command.attempt});
    return;
  }
  auto task = std::move(found->second);
  tasks_.erase(found);
  give_up(command.attempt, std::move(task));
}

void AgentModel::give_up(const core::AttemptId& attempt, Task task) {
  going_.insert(attempt);
  world_.sim.after(
      task.has_process ? world_.sim.between(Millis(10), world_.sim.chance(3) ? kProcessEnds : Seconds(1)) : Millis(0),
      [self = shared_from_this(), attempt] {
        if (!self->alive_ || self->going_.erase(attempt) == 0) return;
        self->world_.process_ends(attempt, self->id_);
        self->push(protocol::TaskGone{attempt});
      });
}

void AgentModel::on(const protocol::Shutdown& /*command*/) {
  if (std::exchange(shutting_down_, true)) return;
  world_.sim.note("agent {} is told to shut down", id_.id);
  for (const auto& [attempt, task] : tasks_) give_up(attempt, task);
  tasks_.clear();
  world_.sim.after(world_.sim.between(kProcessEnds, kProcessEnds + Seconds(6)), [self = shared_from_this()] {
    if (!self->alive_) return;
    self->kill("the master said so");
    self->world_.cluster->container_exited(self->id_, 0);
  });
}

}  // namespace ydl::chaos
