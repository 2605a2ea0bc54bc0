#include "master/master.hpp"

#include "core/log.hpp"
#include "core/strings.hpp"
#include "master/continued.hpp"
#include "master/host_gpus.hpp"
#include "master/job_image.hpp"
#include "net/spawn.hpp"
#include "spec/rules.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

namespace ydl::master {

namespace {

constexpr core::Millis kFailPatience = core::Seconds(20);  // for tasks to be stopped, beyond their grace

job::Plan plan_of(const jobs::JobFile& job, const JobPlan& of_job) {
  auto plan = of_job.job;
  plan.rendezvous_in_master = of_job.framework->tracker() == framework::Tracker::pslite && !plan.rendezvous_at;
  // Two jobs that wait for each other's containers must not back off for the same time.
  plan.seed = std::hash<core::JobId>{}(job.id);
  if (job.cluster == core::ClusterKind::local) {
    plan.one_host = true;
    plan.blacklist.mode = job::Blacklist::Mode::off;
  }
  return plan;
}

}  // namespace

std::string_view remedy_for(const std::error_code& error) {
  if (error == std::errc::no_space_on_device || error == std::error_code(EDQUOT, std::generic_category()))
    return "; make room on that disk";
  if (error == std::errc::too_many_files_open || error == std::errc::too_many_files_open_in_system)
    return "; raise the limit of open files (ulimit -Hn)";
  return "";
}

Master::Master(const net::asio::any_io_executor& executor, jobs::JobFolder folder, jobs::JobFile job, JobPlan plan,
               const MasterSettings& settings)
    : executor_(executor),
      folder_(std::move(folder)),
      job_(std::move(job)),
      plan_(std::move(plan)),
      logs_elsewhere_(settings.logs),
      machine_(plan_of(job_, plan_)),
      journal_(executor, folder_.events_file()),
      told_(folder_.told_file()),
      store_(settings.store),
      began_(settings.began),
      on_adopted_(settings.on_adopted),
      unusable_(settings.unusable),
      timer_(executor),
      launch_timer_(executor),
      ended_(executor) {
  if (plan_.framework->tracker() == framework::Tracker::pslite) {
    rendezvous_.emplace(
        executor_,
        Rendezvous::Options{.plan = scheduler_plan(plan_, settings.listen),
                            .at = plan_.job.rendezvous_at,
                            .master = settings.address,
                            .port_range = job_.port_range,
                            .agent_addresses = settings.agent_addresses,
                            .attempt_of = [this](const core::TaskId& task) { return machine_.attempt_of(task); }},
        Rendezvous::Sink{[this](protocol::Notice notice) { backend_->pass(std::move(notice)); },
                         [this](std::string why) { post(job::Broken{std::move(why)}); },
                         [this](std::string text) { note(std::move(text)); }});
  }
  // The clocks of two hosts differ: time must not go back.
  const auto since = std::chrono::duration_cast<core::Millis>(core::wall_now() - began_);
  const auto last = settings.earlier.empty() ? core::Millis(0) : settings.earlier.back().at;
  began_steady_ = core::steady_now() - std::max({since, last, core::Millis(0)});
  takes_over_ = std::ranges::any_of(settings.earlier, [](const auto& one) {
    return std::holds_alternative<job::Begin>(one.event);  // else the one before us was lost before the job began
  });
  replay(settings.earlier);
  if (settings.earlier.empty())
    for (const auto& step : settings.steps) handle(job::Noted{step.kind, std::nullopt, step.text, step.time});
  backend_ = settings.make_backend({[this](job::Event event) { post(std::move(event)); },
                                    [this](const protocol::TaskOutput& output) { take_output(output); },
                                    [this](std::string text) { note(std::move(text)); },
                                    [this] { return job_progress(plan_.job, machine_.snapshot(), outputs_); },
                                    [this](const std::string& why) { leave(why); }});
}

net::awaitable<job::Outcome> Master::run() {
  auto opened = co_await backend_->open();
  // Without an answer of the cluster nothing is decided: it starts another master where it may.
  if (!opened && can_be_taken_over() && !opened.error().remote) leave(opened.error().message);
  if (left_) co_return left_to_another();
  if (opened && unusable_) opened = core::fail(*unusable_);
  if (!opened) {
    end_at_once({job::JobState::failed, 1, opened.error().message, {}, job::Cause::cluster});
    co_await backend_->close(*outcome_);  // what it has left to do: on YARN the records are copied to HDFS
    co_return *outcome_;
  }
  ready_ = true;
  if (takes_over_) {
    take_over();
  } else {
    post(job::Begin{});
    adopted_all();
  }
  while (!outcome_ && !left_) co_await ended_.wait(core::Seconds(3600));
  if (left_) co_return left_to_another();
  co_await backend_->close(*outcome_);
  co_return *outcome_;
}

job::Outcome Master::left_to_another() {
  return {job::JobState::failed, 1, "another master has the job", {}, job::Cause::none};
}

void Master::adopted_all() {
  backend_->adopted_all();
  if (on_adopted_) on_adopted_();
}

// No task was placed, or none is known.
void Master::end_at_once(job::Outcome outcome) {
  job::ExitStatus exit;
  exit.code = outcome.exit_code;
  on(job::Record{job::RecordKind::job_failed, {}, outcome.reason, exit, {}, 0, outcome.cause});
  on(job::Finish{std::move(outcome)});
  flush_journal();
  write_state();
}

// The machine, and what people have read, become what they were. What it wanted done then is not done again.
void Master::replay(const std::vector<job::TimedEvent>& earlier) {
  for (const auto& [at, event] : earlier) {
    for (const auto& action : machine_.handle(event, began_steady_ + at)) {
      if (const auto* record = std::get_if<job::Record>(&action))
        journal_.add(*record, record->time.value_or(began_ + at));
    }
  }
}

void Master::take_over() {
  if (const auto ended = machine_.snapshot().outcome; ended && machine_.finished()) {
    on(job::Finish{*ended});
    flush_journal();
    return write_state();
  }
  post(job::TookOver{core::host_name()});
}

void Master::leave(const std::string& why) {
  if (std::exchange(left_, true)) return;
  core::log("this master ends, and leaves the job to another one: {}", why);
  ended_.notify();
}

net::awaitable<job::Outcome> Master::fail_and_close(std::string reason) {
  const bool had_ended = outcome_.has_value();  // then it was closing that failed
  fail(reason);
  const auto patience = core::steady_now() + plan_.job.stop_grace + kFailPatience;
  while (!outcome_ && core::steady_now() < patience) co_await ended_.wait(patience - core::steady_now());
  if (!outcome_) {
    on(job::Finish{{job::JobState::failed, 1, std::move(reason), {}, job::Cause::none}});
    flush_journal();
    write_state();
  }
  if (!had_ended) co_await backend_->close(*outcome_);
  co_return *outcome_;
}

void Master::request_stop(std::string by, std::optional<core::Millis> grace) {
  post(job::StopRequested{std::move(by), grace});
}

void Master::fail(std::string reason) {
  post(job::Broken{std::move(reason)});
}

// ---- events in -------------------------------------------------------------------------------------------------

void Master::post(job::Event event) {
  events_.push_back(std::move(event));
  if (!handling_) handle_posted();  // else a backend answered while it was being told what to do
}

void Master::handle_posted() {
  handling_ = true;
  try {
    do {
      carry_out_written();
      if (events_.empty()) break;
      const auto next = std::move(events_.front());
      events_.pop_front();
      handle(next);
    } while (true);
  } catch (...) {
    handling_ = false;  // the event that reports this failure must be handled
    throw;
  }
  handling_ = false;
  flush_journal();
  arm_timer();
}

void Master::handle(const job::Event& event) {
  if (left_) return;
  const auto now = std::max(core::steady_now(), began_steady_);
  const auto at = std::chrono::duration_cast<core::Millis>(now - began_steady_);
  Decided decided;
  decided.starts_all = machine_.state() == job::JobState::placing;
  decided.takes_over = std::holds_alternative<job::TookOver>(event);
  if (store_ != nullptr) {
    store_->add(job::encode_event({at, event}));
    decided.after = ++stored_;
  } else {
    told_.add({at, event});
  }
  decided.actions = machine_.handle(event, began_steady_ + at);
  for (auto& action : decided.actions) {
    if (auto* record = std::get_if<job::Record>(&action); record != nullptr && !record->time)
      record->time = began_ + at;
    if (std::holds_alternative<job::Launch>(action) && decided.seen == nullptr)
      decided.seen = std::make_shared<const job::Snapshot>(machine_.snapshot());
  }
  decided.state = machine_.state();
  if (store_ == nullptr) return carry_out(std::move(decided));
  waiting_.push_back(std::move(decided));
  carry_out_written();
}

// An event is acted on when it is written. A job whose end is decided does not wait for a store that does not write:
// nobody needs to take it over. People are told at once of what waits.
void Master::carry_out_written() {
  while (!waiting_.empty() && !left_) {
    if (waiting_.front().after > written_ && !(is_behind_ && machine_.is_ending())) break;
    auto decided = std::move(waiting_.front());
    waiting_.pop_front();
    carry_out(std::move(decided));
  }
  if (!is_behind_) return;
  for (auto& decided : waiting_) {
    std::erase_if(decided.actions, [this](const job::Action& action) {
      const auto* record = std::get_if<job::Record>(&action);
      if (record != nullptr) on(*record);
      return record != nullptr;
    });
  }
}

void Master::events_written(std::uint64_t count) {
  written_ = std::max(written_, count);
  if (handling_) return;  // they follow
  handle_posted();
}

void Master::store_is_behind(std::string why) {
  is_behind_ = true;
  note(fmt::format("{}: the tasks go on, but decisions wait, and the job cannot be taken over by another master", why));
}

void Master::store_caught_up() {
  is_behind_ = false;
  post(job::Delayed{});
  note("what happened is written to HDFS again: the job can go on without this master");
}

void Master::carry_out(Decided decided) {
  if (decided.seen != nullptr) launch_snapshot_ = std::move(decided.seen);
  for (const auto& action : decided.actions) carry_out(action);
  if (decided.takes_over) {
    adopted_all();
    tell_scheduler_again();
  }
  if (decided.starts_all || decided.takes_over)
    launch_pending();
  else
    launch_pending_soon();
  shown_state_ = decided.state;
  const auto state = outcome_ ? outcome_->state : shown_state_;
  if (std::exchange(written_state_, state) != state) write_state();
}

void Master::arm_timer() {
  if (!ready_ || is_behind_) return;
  const auto deadline = machine_.next_deadline();
  if (deadline == std::exchange(armed_, deadline)) return;
  timer_.cancel();
  if (!deadline) return;
  timer_.expires_at(*deadline);
  net::spawn(executor_, "the job's timer", tick());
}

net::awaitable<void> Master::tick() {
  const auto [cancelled] = co_await timer_.async_wait(net::tuple);
  if (cancelled) co_return;
  armed_.reset();
  if (!is_behind_) post(job::Tick{});
}

// ---- actions out -----------------------------------------------------------------------------------------------

void Master::carry_out(const job::Action& action) {
  std::visit([this](const auto& a) { on(a); }, action);
}

void Master::on(const job::Ask& ask) {
  auto request = request_for(ask.attempt);
  if (ask.takes_over) request.takes_over = core::AttemptId{ask.attempt.task, *ask.takes_over};
  request.same_ports = ask.same_ports;
  request.not_on = ask.not_on;
  backend_->place(std::move(request));
}

void Master::on(const job::Adopt& adopt) {
  backend_->adopt(request_for(adopt.attempt), adopt);
}

backend::TaskRequest Master::request_for(const core::AttemptId& attempt) const {
  const auto& task = attempt.task;
  const auto& role = plan_.role(task.role);
  backend::TaskRequest request;
  request.attempt = attempt;
  request.ports = plan_.ports(task);
  request.port_range = job_.port_range;
  request.gpus = role.gpus;
  request.host_gpus = host_gpus(plan_, job_.cluster, attempt);
  request.memory = role.asked.memory.value_or(0);
  request.vcores = role.asked.vcores.value_or(0);
  for (const auto& input : job_.spec.inputs) request.inputs.push_back({input.source, spec::name_in_task(input)});
  request.image = image_for_agent(job_.spec);
  request.stall_timeout = plan_.job.stall_timeout;
  request.save_every = job_.spec.save_every;
  const auto candidates = tasks_to_continue(plan_, task);
  if (attempt.attempt > 1) request.continues_tasks = candidates;
  if (job_.restore) request.continues_folders = folders_of(*job_.restore, candidates);
  if (rendezvous_) request.scheduler = rendezvous_->scheduler_of(task);
  return request;
}

void Master::on(const job::AvoidHost& host) {
  backend_->avoid(host.node);
}

void Master::on(const job::ForgiveHost& host) {
  backend_->forgive(host.node);
}

// Some frameworks say in their own words how far they are.
void Master::take_output(protocol::TaskOutput output) {
  auto& last = outputs_[output.attempt.task];
  if (!output.progress) {
    if (const auto read = plan_.framework->read_progress(output.last_line, plan_.role(output.attempt.task.role).argv)) {
      output.progress = read->fraction;
      output.progress_text = read->text;
    } else if (last.attempt == output.attempt) {
      output.progress = last.progress;
      output.progress_text = last.progress_text;
    }
  }
  last = std::move(output);
}

void Master::on(const job::Stop& stop) {
  if (std::ranges::find(pending_, stop.attempt) != pending_.end())
    launch_pending();  // an agent answers to the stop of a task that it has started
  backend_->stop({stop.attempt, stop.grace, stop.writes_stacks});
}

void Master::on(const job::Warn& warn) {
  backend_->pass(protocol::Warn{warn.attempt, warn.task, warn.cause, warn.within});
}

void Master::on(const job::CallOff& call_off) {
  backend_->pass(protocol::CallOff{call_off.attempt});
}

void Master::on(const job::Release& release) {
  std::erase(pending_, release.attempt);
  backend_->release(release.attempt);
}

void Master::on(const job::OpenRendezvous&) {
  if (!rendezvous_) return;
  if (auto opened = rendezvous_->open(); !opened) post(job::Broken{opened.error().message});
}

void Master::on(const job::CloseRendezvous&) {
  if (rendezvous_) rendezvous_->close();
}

void Master::on(const job::MemberEnded& member) {
  if (rendezvous_) rendezvous_->ended(member);
}

void Master::on(const job::Record& record) {
  journal_.add(record, record.time.value_or(core::wall_now()));
}

void Master::on(const job::Finish& finish) {
  outcome_ = finish.outcome;
  finished_at_ = core::wall_now();
  ended_.notify();
}

void Master::note(std::string text, std::optional<core::AttemptId> attempt) {
  post(job::Noted{job::RecordKind::note, std::move(attempt), std::move(text), std::nullopt});
}

void Master::flush_journal() {
  if (auto flushed = told_.flush(); !flushed) records_incomplete(flushed.error());
  if (auto flushed = journal_.flush(); !flushed) records_incomplete(flushed.error());
}

// Followers are told, for what would be read later is what cannot be written. Once: a full disk refuses every write.
void Master::records_incomplete(const core::Error& why) {
  core::log("{}", why.message);
  if (std::exchange(records_incomplete_, true)) return;
  note(fmt::format("{}: the job goes on, but its folder lacks what happens until it can be written again{}",
                   why.message, remedy_for(why.code)));
}

void Master::write_state() {
  jobs::StateFile state;
  state.state = outcome_ ? outcome_->state : shown_state_;
  state.tasks = machine_.task_count();
  if (outcome_) {
    state.exit_code = outcome_->exit_code;
    state.reason = outcome_->reason;
    if (outcome_->first_failure) {
      state.cause = outcome_->first_failure->task.str();
      state.cause_attempt = outcome_->first_failure->attempt;
    }
    state.finished = finished_at_;
  }
  if (outcome_) write_view();
  if (auto written = jobs::write_state_file(folder_, state); !written) records_incomplete(written.error());
}

void Master::write_view() {
  if (auto written = core::write_file_atomically(folder_.view_file(), job_view() + "\n", 0600); !written)
    records_incomplete(written.error());
}

}  // namespace ydl::master
