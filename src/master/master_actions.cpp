// How the master carries out the actions of the job's state machine.
#include "master/continued.hpp"
#include "master/host_gpus.hpp"
#include "master/job_image.hpp"
#include "master/master.hpp"
#include "spec/rules.hpp"

#include <algorithm>
#include <utility>

namespace ydl::master {

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
  const auto& planned = plan_.job_role(task.role);
  const bool numbers_anew = planned.is_elastic() && planned.restart != core::RestartUnit::task;
  if (attempt.attempt > 1)
    request.continues_tasks = numbers_anew ? tasks_to_continue(plan_, task, machine_.snapshot()) : candidates;
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

// Some frameworks print their progress in their own format.
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
  meters_[output.attempt.task].note(output, core::steady_now());
  last = std::move(output);
}

void Master::on(const job::Stop& stop) {
  if (dropped_.erase(stop.attempt) > 0)
    return post(job::StartFailed{stop.attempt, job::Cause::start_failed, "the job ended before the task was started"});
  if (std::ranges::find(pending_, stop.attempt) != pending_.end())
    launch_pending();  // launch first, because an agent only confirms a stop of a task that it has started
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
  dropped_.erase(release.attempt);
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

}  // namespace ydl::master
