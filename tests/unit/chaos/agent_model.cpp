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
constexpr Millis kReaperWaits = Seconds(30);
constexpr Millis kOrphan = std::chrono::minutes(30);

}  // namespace

AgentModel::AgentModel(World& world, yarn::ContainerId id, std::string host, int master)
    : world_(world),
      id_(std::move(id)),
      host_(std::move(host)),
      master_(master),
      lease_({.outlives_master = kOrphan, .has_folder = true}, world.sim.now()) {}

void AgentModel::later(Millis delay, void (AgentModel::*what)()) {
  in_a_while(delay, [self = shared_from_this(), what] { ((*self).*what)(); });
}

void AgentModel::in_a_while(Millis delay, std::function<void()> what) {
  world_.sim.after(
      delay,
      [self = shared_from_this(), what = std::move(what)] {
        if (self->alive_) what();
      },
      this);
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
  in_a_while(world_.sim.between(Millis(0), kLeaves), [self = shared_from_this(), why] {
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
  in_a_while(within, [once] { once(std::nullopt); });
  const auto target = world_.masters.at(master);
  const protocol::Hello hello{.version = "", .node = host_, .holds = session_.held()};
  const auto arrives = [self = shared_from_this(), target, once, hello] {
    auto& world = self->world_;
    const auto answers = [&](std::optional<Answer> answer) {
      self->in_a_while(world.sim.latency(), [self, target, once, answer = std::move(answer)] {
        if (self->world_.reaches(target->host(), self->host_)) once(answer);
      });
    };
    if (!self->alive_ || !world.reaches(self->host_, target->host())) return;  // until the time is over
    if (!target->is_serving() || world.faulty(&Faults::calls_break, 20)) return answers(std::nullopt);
    auto answer = target->hello(self->id_, hello);
    answers(world.faulty(&Faults::calls_break, 20) ? std::nullopt : std::optional(std::move(answer)));
  };
  world_.sim.after(world_.sim.latency(), arrives, target.get());
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
    in_a_while(std::get<agent::MasterLease::Look>(action).within + Millis(1),
               [this, go_on] { go_on(lease_.next(world_.sim.now())); });
  });
}

void AgentModel::obey(protocol::Epoch epoch) {
  obeys(epoch);
  if (!session_.accept(epoch)) world_.sim.fail("an agent obeys a lower epoch");
  sent_ = session_.reports().first() - 1;
  lease_.heard(world_.sim.now(), epoch.number);
}

void AgentModel::obeys(protocol::Epoch epoch) {
  if (epoch.number < highest_epoch_) {
    world_.sim.fail(fmt::format("agent {} obeys epoch {} after epoch {}", id_.id, epoch.number, highest_epoch_));
  }
  highest_epoch_ = std::max(highest_epoch_, epoch.number);
}

void AgentModel::exchange() {
  if (!alive_ || leaves_ || calling_successor_ || open_call_ != 0) return;
  const int call = open_call_ = ++last_call_;
  const auto& outbox = session_.reports();
  Exchange body{
      session_.epoch(), outbox.first(), {outbox.items().begin(), outbox.items().end()}, session_.last_command()};
  sent_ = outbox.last();
  const auto self = shared_from_this();
  const auto fails = [self, call] { self->answered(call, std::nullopt); };
  in_a_while(kCallTime, fails);
  const auto target = world_.masters.at(master_);
  if (world_.faulty(&Faults::calls_break, 50)) return in_a_while(world_.sim.latency(), fails);
  const auto arrives = [self, call, fails, target, body = std::move(body)] {
    if (!self->alive_ || self->open_call_ != call || !self->world_.reaches(self->host_, target->host())) return;
    if (!target->is_serving()) return self->in_a_while(Millis(1), fails);
    target->exchange(self, call, body);
  };
  world_.sim.after(world_.sim.latency(), arrives, target.get());
}

void AgentModel::answered(int call, std::optional<Answer> answer) {
  if (!alive_ || leaves_ || open_call_ != call) return;
  open_call_ = 0;
  if (!answer) return failed("a call failed");
  if (answer->status == Answer::Status::unknown_agent) return leave("its master does not know it");
  if (answer->status != Answer::Status::ok) return failed("its master refuses a call");
  // Of two calls that are open the second one is answered with the same commands.
  const bool comes_twice = answer->epoch == session_.epoch() && world_.sim.chance(10);
  session_.confirm(session_.epoch(), sent_);
  if (!session_.accept(answer->epoch)) return failed("an answer of an earlier master");
  do_commands(*answer);
  if (comes_twice) do_commands(*answer);
  exchange();
}

void AgentModel::do_commands(const Answer& answer) {
  obeys(answer.epoch);
  auto seq = answer.first - 1;
  for (const auto& command : answer.commands) {
    if (!session_.accept_command(++seq)) continue;
    if (!done_.emplace(answer.epoch.number, seq).second)
      world_.sim.fail(fmt::format("agent {} does command {} of epoch {} twice", id_.id, seq, answer.epoch.number));
    if (!shutting_down_) std::visit([this](const auto& one) { on(one); }, command);
  }
  lease_.heard(world_.sim.now(), session_.epoch().number);
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
  in_a_while(within, [found] { found(agent::Unreadable{"HDFS does not answer"}); });
  const auto is_revoked = std::make_shared<bool>(false);
  call_hdfs(
      world_, {host_, this}, [self, is_revoked] { *is_revoked = self->world_.hdfs.revoked.contains(self->id_); },
      [self, found, is_revoked](bool answered) {
        if (!answered) return found(agent::Unreadable{"no answer"});
        if (*is_revoked) return found(agent::FolderState{.is_revoked = true, .master = std::nullopt});
        const auto seen = std::make_shared<std::optional<Hdfs::Endpoint>>();
        call_hdfs(
            self->world_, {self->host_, self.get()}, [self, seen] { *seen = self->world_.hdfs.endpoint; },
            [self, found, seen](bool again) {
              agent::FolderState state;
              if (again && *seen) {
                state.master = {(*seen)->host, static_cast<std::uint16_t>((*seen)->master), (*seen)->epoch};
              }
              state.is_over = again && !*seen && self->world_.hdfs.says_that_job_is_over;
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
  const auto arrives = [self = shared_from_this(), target] {
    if (self->alive_ && self->world_.reaches(self->host_, target->host())) target->answer_now(self->id_);
  };
  world_.sim.after(world_.sim.latency(), arrives, target.get());
}

void AgentModel::tell(protocol::Report report) {
  if (!shutting_down_) push(std::move(report));
}

void AgentModel::with_task(Millis delay, const core::AttemptId& attempt, void (*what)(AgentModel&, Task&)) {
  in_a_while(delay, [self = shared_from_this(), attempt, what] {
    const auto found = self->tasks_.find(attempt);
    if (found != self->tasks_.end()) what(*self, found->second);
  });
}

void AgentModel::on(const protocol::Prepare& command) {
  if (tasks_.contains(command.attempt)) return;
  session_.hold(command.attempt);
  tasks_[command.attempt].request = command;
  with_task(world_.sim.between(Millis(20), Millis(800)), command.attempt, [](AgentModel& self, Task& task) {
    const auto& attempt = task.request.attempt;
    if (self.world_.faulty(&Faults::start_fails, 10)) {
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
  if (world_.faulty(&Faults::start_fails, 10)) {
    task.phase = Task::Phase::over;
    return tell(protocol::TaskStartFailed{command.attempt, job::Cause::start_failed, "no luck"});
  }
  task.phase = Task::Phase::running;
  task.has_process = true;
  world_.process_starts(command.attempt, id_);
  tell(protocol::TaskStarted{command.attempt, 1});
  if (world_.faulty(&Faults::ports_taken, 6))
    tell(protocol::TaskStartFailed{command.attempt, job::Cause::port_taken, "another program has its port"});
  run_task(command.attempt);
  save_from_time_to_time(command.attempt);
}

void AgentModel::run_task(const core::AttemptId& attempt) {
  const auto time = world_.sim.between(Millis(500), world_.faults.longest_task);
  world_.sim.after(time, [self = shared_from_this(), attempt] {
    auto& world = self->world_;
    job::ExitStatus status;
    if (world.faulty(&Faults::task_fails, 4)) {
      status.code = 1;
      status.last_line = fmt::format("error {}", world.sim.roll(3));
    }
    self->end_process(attempt, status);
  });
}

// Nothing of a job depends on it that has no elastic role.
void AgentModel::save_from_time_to_time(const core::AttemptId& attempt) {
  if (!std::ranges::any_of(world_.plan.roles, &job::RolePlan::is_elastic)) return;
  with_task(world_.sim.between(Seconds(1), Seconds(40)), attempt, [](AgentModel& self, Task& task) {
    if (task.phase != Task::Phase::running) return;
    self.tell(protocol::TaskSaved{task.request.attempt});
    self.save_from_time_to_time(task.request.attempt);
  });
}

void AgentModel::end_process(const core::AttemptId& attempt, job::ExitStatus status) {
  const auto found = tasks_.find(attempt);
  if (!alive_ || found == tasks_.end() || found->second.phase != Task::Phase::running) return;
  found->second.phase = Task::Phase::over;
  found->second.has_process = false;
  world_.process_ends(attempt, id_);
  in_a_while(Millis(0), [self = shared_from_this(), attempt, status] {
    if (!self->tasks_.contains(attempt)) return;
    self->tell(protocol::TaskSaving{attempt});
    self->in_a_while(self->world_.sim.between(Millis(0), Seconds(2)), [self, attempt, status] {
      if (self->tasks_.contains(attempt)) self->tell(protocol::TaskExited{attempt, status, 0, {}});
    });
  });
}

// The processes of its tasks go on, until their reapers have heard nothing for too long.
void AgentModel::hang(Millis time) {
  world_.sim.note("fault: agent {} stands still for {} s", id_.id, time.count() / 1000);
  world_.sim.stand_still(this, time);
  const auto reap = [self = shared_from_this()] {
    if (!self->world_.sim.stands_still(self.get())) return;
    job::ExitStatus status;
    status.signal = 9;
    for (const auto& attempt : self->going_) self->world_.process_ends(attempt, self->id_);
    for (const auto& [attempt, task] : self->tasks_) self->end_process(attempt, status);
  };
  world_.sim.after(world_.sim.between(kReaperWaits, kReaperWaits + Seconds(4)), reap);
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
        self->in_a_while(Millis(0), [self, attempt] { self->push(protocol::TaskGone{attempt}); });
      });
}

void AgentModel::on(const protocol::Shutdown& /*command*/) {
  if (std::exchange(shutting_down_, true)) return;
  world_.sim.note("agent {} is told to shut down", id_.id);
  for (const auto& [attempt, task] : tasks_) give_up(attempt, task);
  tasks_.clear();
  in_a_while(world_.sim.between(kProcessEnds, kProcessEnds + Seconds(6)), [self = shared_from_this()] {
    self->kill("the master told it to shut down");
    self->world_.cluster->container_exited(self->id_, 0);
  });
}

}  // namespace ydl::chaos
