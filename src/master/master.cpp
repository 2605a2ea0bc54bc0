#include "master/master.hpp"

#include "core/log.hpp"
#include "core/strings.hpp"
#include "net/spawn.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

namespace ydl::master {

namespace {

constexpr core::Millis kFailPatience = core::Seconds(20);  // for tasks to stop, in addition to their grace

job::Plan plan_of(const jobs::JobFile& job, const JobPlan& of_job) {
  auto plan = of_job.job;
  plan.rendezvous_in_master = of_job.framework->tracker() == framework::Tracker::pslite && !plan.rendezvous_at;
  // Two jobs that wait for each other's containers must back off for different times.
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
    return "; free space on that disk";
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
  // The clocks of two hosts may differ, but time in the job must not go back.
  const auto since = std::chrono::duration_cast<core::Millis>(core::wall_now() - began_);
  const auto last = settings.earlier.empty() ? core::Millis(0) : settings.earlier.back().at;
  began_steady_ = core::steady_now() - std::max({since, last, core::Millis(0)});
  takes_over_ = std::ranges::any_of(settings.earlier, [](const auto& one) {
    return std::holds_alternative<job::Begin>(one.event);  // otherwise the earlier master was lost before the job began
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
  // If the cluster does not answer, this attempt ends and the cluster may start another one.
  if (!opened && can_be_taken_over() && !opened.error().remote) leave(opened.error().message);
  if (left_) co_return left_to_another();
  if (opened && unusable_) opened = core::fail(*unusable_);
  if (!opened) {
    end_at_once({job::JobState::failed, 1, opened.error().message, {}, job::Cause::cluster});
    co_await backend_->close(*outcome_);  // the backend finishes its work: on YARN it copies the records to HDFS
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

// For a job without placed tasks, or one whose tasks are unknown.
void Master::end_at_once(job::Outcome outcome) {
  job::ExitStatus exit;
  exit.code = outcome.exit_code;
  on(job::Record{job::RecordKind::job_failed, {}, outcome.reason, exit, {}, 0, outcome.cause});
  on(job::Finish{std::move(outcome)});
  flush_journal();
  write_state();
}

// Restores the state machine and the events that users have read. The resulting actions are not carried out again.
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
  core::log("this master ends and leaves the job to another one: {}", why);
  ended_.notify();
}

net::awaitable<job::Outcome> Master::fail_and_close(std::string reason) {
  const bool had_ended = outcome_.has_value();  // then closing the backend has failed
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
  if (!handling_) handle_posted();  // else a backend posted this event while an action was carried out
}

void Master::handle_posted() {
  handling_ = true;
  try {
    do {
      carry_out_decided();
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
  DecisionGate::Decision decision;
  decision.starts_all = machine_.state() == job::JobState::placing;
  decision.takes_over = std::holds_alternative<job::TookOver>(event);
  if (store_ != nullptr)
    store_->add(job::encode_event({at, event}));
  else
    told_.add({at, event});
  decision.actions = machine_.handle(event, began_steady_ + at);
  bool launches = false;
  for (auto& action : decision.actions) {
    if (auto* record = std::get_if<job::Record>(&action); record != nullptr && !record->time)
      record->time = began_ + at;
    launches = launches || std::holds_alternative<job::Launch>(action);
  }
  if (launches) decision.places = places_.decided(machine_.snapshot());
  decision.state = machine_.state();
  if (store_ == nullptr) return carry_out(std::move(decision));
  gate_.add(std::move(decision));
  if (machine_.is_ending()) gate_.job_ends();
  carry_out_decided();
}

void Master::carry_out_decided() {
  while (!left_) {
    auto decision = gate_.next();
    if (!decision) break;
    carry_out(*std::move(decision));
  }
  if (left_) return;
  for (const auto& stop : gate_.early_stops()) on(stop);
  const auto stuck = gate_.needs_store();
  if (!stuck || std::exchange(ends_for_store_, true)) return;
  post(job::Broken{fmt::format("{} must be started, but this cannot be recorded for another master: {}",
                               stuck->task.str(), trouble_ ? trouble_->why : "the job's journal cannot be written")});
}

void Master::events_written(std::uint64_t count) {
  gate_.written(count);
  if (handling_) return;  // the running loop handles them
  handle_posted();
}

// Users see this in the job's view. It is not an event, because another master might use the number of the event again.
void Master::store_is_away(std::string why) {
  trouble_ = {std::move(why), core::wall_now()};
  gate_.store_is(DecisionGate::Store::away);
  core::log("{}", notice());
  gate_changed();
}

void Master::store_is_broken(std::string why) {
  trouble_ = {std::move(why), core::wall_now()};
  gate_.store_is(DecisionGate::Store::broken);
  core::log("{}", notice());
  note(notice());
  gate_changed();
}

std::string Master::notice() const {
  return fmt::format(
      "{}; {}", trouble_->why,
      gate_.is_broken() ? "the tasks continue, but no other master can take over the job, and the job ends when a task "
                          "must be started"
                        : "the tasks continue, but decisions wait, and no other master can take over the job");
}

void Master::store_caught_up() {
  const auto trouble = std::exchange(trouble_, std::nullopt);
  gate_.store_is(DecisionGate::Store::writes);
  gate_changed();
  if (!trouble) return;
  note(fmt::format("the job's journal could not be written for {} ({}); it is written again now",
                   core::format_duration(std::chrono::duration_cast<core::Millis>(core::wall_now() - trouble->since)),
                   trouble->why));
}

void Master::scheduler_answers() {
  gate_.scheduler_answers();
  gate_changed();
}

void Master::scheduler_is_silent() {
  gate_.scheduler_is_silent();
  gate_changed();
}

void Master::gate_changed() {
  const bool is_held = gate_.is_held();
  if (std::exchange(was_held_, is_held) && !is_held) events_.emplace_back(job::Delayed{});
  if (!handling_) handle_posted();
}

void Master::carry_out(DecisionGate::Decision decision) {
  places_.carry_out(std::move(decision.places));
  dropped_.insert(decision.dropped.begin(), decision.dropped.end());
  if (!outcome_) ended_after_ = decision.after;
  for (const auto& action : decision.actions) carry_out(action);
  if (decision.takes_over) {
    adopted_all();
    tell_scheduler_again();
  }
  if (decision.starts_all || decision.takes_over)
    launch_pending();
  else
    launch_pending_soon();
  shown_state_ = decision.state;
  const auto state = outcome_ ? outcome_->state : shown_state_;
  if (std::exchange(written_state_, state) != state) write_state();
}

void Master::arm_timer() {
  if (!ready_ || gate_.is_held()) return;
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
  if (!gate_.is_held()) post(job::Tick{});
}

// ---- records ---------------------------------------------------------------------------------------------------

void Master::note(std::string text, std::optional<core::AttemptId> attempt) {
  post(job::Noted{job::RecordKind::note, std::move(attempt), std::move(text), std::nullopt});
}

void Master::flush_journal() {
  if (auto flushed = told_.flush(); !flushed) records_incomplete(flushed.error());
  if (auto flushed = journal_.flush(); !flushed) records_incomplete(flushed.error());
}

// Followers are told, because the records cannot be written. This is done once, because a full disk refuses every
// write.
void Master::records_incomplete(const core::Error& why) {
  core::log("{}", why.message);
  if (std::exchange(records_incomplete_, true)) return;
  note(fmt::format("{}: the job continues, but its records are incomplete until its folder can be written again{}",
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
