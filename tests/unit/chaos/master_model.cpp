#include "master_model.hpp"

#include "cluster.hpp"

#include <algorithm>
#include <iterator>

namespace ydl::chaos {
namespace {

constexpr Millis kOpenCall = Seconds(5);

}  // namespace

// ---- the job: events in ----------------------------------------------------------------------------------------

void MasterModel::post(job::Event event) {
  if (!alive_) return;
  events_.push_back(std::move(event));
  if (!handling_) handle_posted();
}

void MasterModel::handle_posted() {
  handling_ = true;
  while (alive_) {
    carry_out_written();
    if (!alive_ || events_.empty()) break;
    const auto next = std::move(events_.front());
    events_.pop_front();
    handle(next);
  }
  handling_ = false;
  if (alive_) arm_timer();
}

void MasterModel::handle(const job::Event& event) {
  if (replaced_) return;
  const auto now = world_.sim.now();
  const auto at = std::chrono::duration_cast<Millis>(now.time_since_epoch());
  check_end(event);
  Decided decided;
  decided.starts_all = machine_->state() == job::JobState::placing;
  decided.takes_over = std::holds_alternative<job::TookOver>(event);
  const auto index = world_.hdfs.events.size();
  world_.hdfs.events.push_back({at, event});
  told_.push_back(index);
  journal_->add(std::to_string(index), now);
  decided.after = ++stored_;
  decided.actions = ask_machine(event, now);
  for (const auto& action : decided.actions) {
    if (const auto* record = std::get_if<job::Record>(&action))
      world_.sim.note("master {}: {}{}", attempt_, record->attempt ? brief(*record->attempt) + " " : "", record->text);
  }
  waiting_.push_back(std::move(decided));
  write_journal();
  tell_journal_news();
  carry_out_written();
}

// The next attempt may start once the end of this one is reported. Reports of a replaced master have no effect. If all
// clocks jump, an agent has had no time to do what its lease requires.
void MasterModel::check_end(const job::Event& event) {
  if (std::cmp_greater(world_.hdfs.journal.size(), epoch_) || world_.sim.has_just_jumped()) return;
  const core::AttemptId* attempt = nullptr;
  if (const auto* lost = std::get_if<job::Lost>(&event)) attempt = &lost->attempt;
  if (const auto* exited = std::get_if<job::Exited>(&event)) attempt = &exited->attempt;
  const auto found = attempt == nullptr ? world_.running.end() : world_.running.find(attempt->task);
  if (found != world_.running.end() && found->second.first == *attempt)
    world_.sim.fail(
        fmt::format("the end of {} is told while it runs in container {}", brief(*attempt), found->second.second.id));
}

std::vector<job::Action> MasterModel::ask_machine(const job::Event& event, Instant at) {
  auto actions = machine_->handle(event, at);
  if (auto promise = audit_->step(event, actions, at); !promise.empty()) world_.sim.fail(std::move(promise));
  return actions;
}

void MasterModel::carry_out_written() {
  while (!waiting_.empty() && !replaced_ && alive_) {
    if (waiting_.front().after > written_ && !(is_behind_ && machine_->is_ending())) break;
    auto decided = std::move(waiting_.front());
    waiting_.pop_front();
    const auto& file = world_.hdfs.journal[static_cast<std::size_t>(epoch_ - 1)];
    if (decided.after <= written_ && file.lines <= decided.after)  // with the header
      world_.sim.fail(fmt::format("master {} acts on what its journal does not say yet", attempt_));
    carry_out(std::move(decided));
  }
}

bool MasterModel::dies_here() {
  if (alive_ && world_.faulty(&Faults::master_killed_between_actions, 150)) kill("a fault between two actions");
  return !alive_;
}

void MasterModel::carry_out(Decided decided) {
  for (const auto& action : decided.actions) {
    if (std::holds_alternative<job::Record>(action)) continue;
    if (dies_here()) return;
    std::visit([this](const auto& one) { on(one); }, action);
  }
  if (!alive_) return;
  if (decided.takes_over) {
    carry_out(yarn_->adopted_all(world_.sim.now()));
    hub_.is_taking_over = false;
  }
  if (decided.starts_all || decided.takes_over)
    launch_pending();
  else
    launch_pending_soon();
}

void MasterModel::arm_timer() {
  if (is_behind_) return;
  const auto deadline = machine_->next_deadline();
  if (deadline == std::exchange(armed_, deadline)) return;
  const int timer = ++timer_;
  if (!deadline) return;
  later(*deadline - world_.sim.now(), [this, timer] {
    if (timer != timer_) return;
    armed_.reset();
    if (!is_behind_) post(job::Tick{});
  });
}

// ---- the job: actions out --------------------------------------------------------------------------------------

backend::TaskRequest MasterModel::request_for(const core::AttemptId& attempt) const {
  backend::TaskRequest request;
  request.attempt = attempt;
  request.ports = 1;
  return request;
}

void MasterModel::on(const job::Ask& ask) {
  auto request = request_for(ask.attempt);
  if (ask.takes_over) request.takes_over = core::AttemptId{ask.attempt.task, *ask.takes_over};
  request.same_ports = ask.same_ports;
  request.not_on = ask.not_on;
  carry_out(yarn_->place(request, world_.sim.now()));
}

void MasterModel::on(const job::Adopt& adopt) {
  world_.sim.note("master {} adopts {} in {}", attempt_, brief(adopt.attempt), adopt.place.container);
  carry_out(yarn_->adopt(request_for(adopt.attempt), adopt, world_.sim.now()));
}

void MasterModel::on(const job::AvoidHost& avoid) {
  avoided_.insert(avoid.node);
  yarn_->avoid(avoid.node);
  arm_backend();
}

void MasterModel::on(const job::ForgiveHost& forgive) {
  avoided_.erase(forgive.node);
  yarn_->forgive(forgive.node);
  arm_backend();
}

void MasterModel::on(const job::Launch& launch) {
  pending_.push_back(launch.attempt);
}

void MasterModel::launch_pending() {
  launch_armed_ = false;
  for (const auto& attempt : std::exchange(pending_, {})) {
    if (dies_here()) return;
    carry_out(yarn_->launch({attempt, {"train"}}, world_.sim.now()));
  }
}

void MasterModel::launch_pending_soon() {
  if (pending_.empty() || std::exchange(launch_armed_, true)) return;
  later(Millis(50), [this] { launch_pending(); });
}

void MasterModel::on(const job::Stop& stop) {
  if (std::ranges::find(pending_, stop.attempt) != pending_.end()) launch_pending();
  carry_out(yarn_->stop({stop.attempt, stop.grace, stop.writes_stacks}, world_.sim.now()));
}

void MasterModel::on(const job::Release& release) {
  std::erase(pending_, release.attempt);
  carry_out(yarn_->release(release.attempt, world_.sim.now()));
}

// ---- the backend -----------------------------------------------------------------------------------------------

void MasterModel::carry_out(backend::YarnActions actions) {
  if (closed_ || !alive_) return;
  to_do_.insert(to_do_.end(), std::move_iterator(actions.begin()), std::move_iterator(actions.end()));
  if (std::exchange(carrying_out_, true)) return;
  while (!to_do_.empty() && !closed_ && !dies_here()) {
    const auto next = std::move(to_do_.front());
    to_do_.pop_front();
    std::visit([this](const auto& action) { on(action); }, next);
  }
  carrying_out_ = false;
  if (alive_) arm_backend();
}

void MasterModel::arm_backend() {
  if (!opened_ || closed_) return;
  const auto now = world_.sim.now();
  const auto deadline = std::max(yarn_->next_deadline(now), now);
  if (backend_armed_ && *backend_armed_ <= deadline) return;
  backend_armed_ = deadline;
  const int timer = ++backend_timer_;
  later(deadline - now, [this, timer] {
    if (timer == backend_timer_) tick_backend();
  });
}

void MasterModel::tick_backend() {
  backend_armed_.reset();
  if (closed_) return;
  const auto now = world_.sim.now();
  if (yarn_->next_deadline(now) > now) return arm_backend();
  const auto last_heard = [this](const yarn::ContainerId& id) {
    const auto found = hub_.sessions.find(id);
    return found == hub_.sessions.end() ? Instant{} : found->second.last_heard;
  };
  carry_out(yarn_->tick(last_heard, now));
}

void MasterModel::on(const backend::TellJob& action) {
  const auto* granted = std::get_if<job::Granted>(&action.event);
  if (granted != nullptr && avoided_.contains(granted->node))
    world_.sim.fail(
        fmt::format("{} takes a container on {}, which is avoided", brief(granted->attempt), granted->node));
  post(action.event);
}

void MasterModel::on(const backend::TellUser& action) {
  world_.sim.note("master {} notes: {}", attempt_, action.text);
  post(job::Noted{job::RecordKind::note, std::nullopt, action.text, std::nullopt});
}

void MasterModel::on(const backend::StartContainers& action) {
  const auto self = shared_from_this();
  for (const auto& container : action.containers) {
    world_.sim.note("master {} starts container {} on {}", attempt_, container.id.id, action.node.host);
    world_.cluster->is_to_be_started(container.id);
    world_.sim.after(world_.sim.latency(), [self, container] {
      auto& world = self->world_;
      const auto& there = container.node.host;
      const auto not_started = [self, id = container.id] {
        self->carry_out(self->yarn_->not_started(id, {make_error_code(core::Errc::unavailable), "no answer"},
                                                 self->world_.sim.now()));
      };
      if (!self->alive_ && world.sim.chance(2)) return;  // the call was not sent
      if (!world.reaches(self->host_, there) || !world.host(there).has_node_manager)
        return self->later(world.sim.between(Seconds(1), Seconds(20)), not_started);
      const bool started = world.cluster->start_container(container, self->attempt_);
      const bool breaks = world.faulty(&Faults::calls_break, 20);
      if (!started || breaks) self->later(world.sim.latency(), not_started);
    });
  }
}

void MasterModel::on(const backend::StopContainer& action) {
  world_.sim.after(world_.sim.latency(), [self = shared_from_this(), host = action.node.host, id = action.id] {
    if (self->world_.reaches(self->host_, host) && self->world_.host(host).has_node_manager)
      self->world_.cluster->stop_container(host, id);
  });
}

void MasterModel::on(const backend::LookAtContainer& action) {
  const auto self = shared_from_this();
  world_.sim.after(world_.sim.latency(), [self, host = action.node.host, id = action.id] {
    auto& world = self->world_;
    if (!world.reaches(self->host_, host) || !world.host(host).has_node_manager) return;
    using Found = backend::YarnMachine::Found;
    const auto seen = world.cluster->look_at(host, id);
    const auto found = seen == Cluster::Seen::running    ? Found::running
                       : seen == Cluster::Seen::complete ? Found::complete
                                                         : Found::unknown;
    self->later(world.sim.latency(), [self, id, found] {
      if (!self->closed_) self->carry_out(self->yarn_->container_looked_at(id, found, self->world_.sim.now()));
    });
  });
}

void MasterModel::on(const backend::SaveLogs& action) {
  later(world_.sim.between(Millis(50), Seconds(2)),
        [this, id = action.container.id] { carry_out(yarn_->logs_saved(id, {}, world_.sim.now())); });
}

void MasterModel::on(const backend::RevokeAgent& action) {
  world_.sim.note("master {} revokes {}", attempt_, action.id.id);
  const auto self = shared_from_this();
  call_hdfs(
      world_, {host_, this}, [self, id = action.id] { self->world_.hdfs.revoked.insert(id); },
      [self, id = action.id](bool done) {
        if (!self->alive_ || self->closed_) return;
        const auto written = done ? core::Result<>() : core::fail(core::Errc::unavailable, "HDFS does not answer");
        self->carry_out(self->yarn_->revoked(id, written, self->world_.sim.now()));
      });
}

// ---- agents ----------------------------------------------------------------------------------------------------

void MasterModel::on(const backend::ExpectAgent& action) {
  auto& session = hub_.sessions[action.id] = {};
  session.last_heard = world_.sim.now();
  if (action.has) session.attempts.insert(*action.has);
}

void MasterModel::on(const backend::SendToAgent& action) {
  const auto found = hub_.sessions.find(action.id);
  if (found == hub_.sessions.end()) return;
  if (const auto* prepare = std::get_if<protocol::Prepare>(&action.command))
    found->second.attempts.insert(prepare->attempt);
  found->second.outbox.push(action.command);
  later(Millis(0), [this, id = action.id] { answer_now(id); });
}

void MasterModel::on(const backend::ForgetAgent& action) {
  const auto found = hub_.sessions.find(action.id);
  if (found == hub_.sessions.end()) return;
  answer_with_commands(found->second);
  hub_.sessions.erase(found);
}

std::optional<Answer> MasterModel::refusal(const yarn::ContainerId& id) {
  const auto found = hub_.sessions.find(id);
  if (found != hub_.sessions.end()) found->second.last_heard = world_.sim.now();
  if (hub_.is_suspended) return Answer{.status = Answer::Status::try_again};
  if (found != hub_.sessions.end()) return std::nullopt;
  return Answer{.status = hub_.is_taking_over ? Answer::Status::try_again : Answer::Status::unknown_agent};
}

Answer MasterModel::hello(const yarn::ContainerId& id, const protocol::Hello& hello) {
  if (const auto refused = refusal(id)) return *refused;
  carry_out(yarn_->agent_called(id, hello, world_.sim.now()));
  return {.epoch = {epoch_}};
}

void MasterModel::exchange(const std::shared_ptr<AgentModel>& agent, int call, const Exchange& body) {
  const auto id = agent->id();
  const auto answer_at_once = [&](Answer answer) {
    const auto arrives = [agent, call, self = shared_from_this(), answer = std::move(answer)] {
      if (self->world_.reaches(self->host_, agent->host())) agent->answered(call, answer);
    };
    world_.sim.after(world_.sim.latency(), arrives, agent.get());
  };
  if (const auto refused = refusal(id)) return answer_at_once(*refused);
  if (body.epoch.number != epoch_) return answer_at_once({.status = Answer::Status::refused});
  auto seq = body.first;
  for (const auto& report : body.reports) {
    const auto found = hub_.sessions.find(id);
    if (found == hub_.sessions.end() || !found->second.inbox.accept(seq++)) continue;
    const auto attempt = std::visit([](const auto& one) { return one.attempt; }, report);
    if (!found->second.attempts.contains(attempt)) continue;
    carry_out(yarn_->reported(id, report, world_.sim.now()));
    if (!alive_) return;
  }
  const auto found = hub_.sessions.find(id);
  if (found == hub_.sessions.end()) return answer_at_once({.status = Answer::Status::unknown_agent});
  auto& session = found->second;
  session.outbox.confirm(body.after);
  session.agent = agent;
  session.call = call;
  if (!session.outbox.empty()) return answer_with_commands(session);
  later(kOpenCall, [this, id, call] {
    const auto still = hub_.sessions.find(id);
    if (still != hub_.sessions.end() && still->second.call == call) answer_with_commands(still->second);
  });
}

void MasterModel::answer_now(const yarn::ContainerId& id) {
  if (const auto found = hub_.sessions.find(id); alive_ && found != hub_.sessions.end())
    answer_with_commands(found->second);
}

void MasterModel::answer_with_commands(HubModel::Session& session) {
  if (session.call == 0) return;
  session.last_heard = world_.sim.now();
  const auto& items = session.outbox.items();
  respond(session, {.epoch = {epoch_}, .first = session.outbox.first(), .commands = {items.begin(), items.end()}});
}

void MasterModel::respond(HubModel::Session& session, Answer answer) {
  const auto agent = session.agent.lock();
  const int call = std::exchange(session.call, 0);
  if (agent == nullptr || call == 0) return;
  const bool breaks = world_.faulty(&Faults::calls_break, 50);
  const auto arrives = [agent, call, breaks, self = shared_from_this(), answer = std::move(answer)] {
    if (self->world_.reaches(self->host_, agent->host()))
      agent->answered(call, breaks ? std::nullopt : std::optional(answer));
  };
  world_.sim.after(world_.sim.latency(), arrives, agent.get());
}

}  // namespace ydl::chaos
