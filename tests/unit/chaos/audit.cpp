#include "audit.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ydl::chaos {
namespace {

constexpr int kMostPortsTaken = 5;
constexpr std::size_t kMostFree = 20;
constexpr core::Millis kFreeWindow = std::chrono::hours(1);
constexpr core::Millis kOneIncident = std::chrono::minutes(1);

std::string brief(const core::AttemptId& attempt) {
  return fmt::format("{}#{}", attempt.task.str(), attempt.attempt);
}

}  // namespace

Audit::Audit(const job::Plan& plan) : plan_(plan), starts_left_(plan.job_retries) {
  for (const auto& role : plan.roles) left_[role.name] = role.retries;
}

std::string Audit::step(const job::Event& event, const std::vector<job::Action>& actions, core::Instant now) {
  now_ = now;
  ++steps_;
  port_taken_.reset();
  std::visit([this](const auto& one) { told(one); }, event);
  for (const auto& action : actions) std::visit([this](const auto& one) { on(one); }, action);
  return violation_;
}

void Audit::broken(std::string promise) {
  if (violation_.empty()) violation_ = std::move(promise);
}

// ---- what the machine was told ---------------------------------------------------------------------------------

void Audit::told(const job::Placed& event) {
  const auto& node = event.place.node;
  if (open_.erase(event.attempt) == 0) return;  // the machine has to give it back
  in_[event.attempt] = node;
  const auto avoided = avoided_.find(node);
  if (avoided != avoided_.end() && asked_[event.attempt] > avoided->second)
    broken(fmt::format("{} is placed on {}, which the job avoids", brief(event.attempt), node));
}

void Audit::told(const job::CannotPlace& event) {
  if (open_.erase(event.attempt) > 0) failures_[event.attempt].has_no_place = true;
}

void Audit::told(const job::Lost& event) {
  open_.erase(event.attempt);  // at its address or nowhere
  if (const auto found = in_.find(event.attempt); found != in_.end()) {
    failures_[event.attempt].node = found->second;
    in_.erase(found);
  }
}

void Audit::told(const job::StartFailed& event) {
  if (event.cause == job::Cause::port_taken) port_taken_ = event.attempt;
}

// What the master before it had asked for is lost with it.
void Audit::told(const job::TookOver& /*event*/) {
  open_.clear();
}

// ---- what it answered ------------------------------------------------------------------------------------------

void Audit::on(const job::Record& record) {
  using core::RecordKind;
  if (!record.attempt) return;
  if (record.kind == RecordKind::task_failed || record.kind == RecordKind::task_lost) {
    auto& failure = failures_[*record.attempt];
    failure.cause = record.cause;
    if (const auto found = in_.find(*record.attempt); found != in_.end()) failure.node = found->second;
  } else if (record.kind == RecordKind::task_retry) {
    started_again(*record.attempt);
  }
}

void Audit::on(const job::Ask& ask) {
  const auto& attempt = ask.attempt;
  int& newest = newest_[attempt.task];
  if (attempt.attempt <= newest) broken(fmt::format("{} is asked for after #{}", brief(attempt), newest));
  if (open_.contains({attempt.task, newest})) broken(fmt::format("{} is asked for twice", attempt.task.str()));
  newest = attempt.attempt;
  asked_[attempt] = steps_;
  open_.insert(attempt);
  if (ask.takes_over) in_.erase({attempt.task, *ask.takes_over});
}

void Audit::on(const job::Launch& launch) {
  if (!in_.contains(launch.attempt)) broken(fmt::format("{} starts without being placed", brief(launch.attempt)));
}

void Audit::on(const job::Release& release) {
  open_.erase(release.attempt);
  if (const auto found = in_.find(release.attempt); found != in_.end()) {
    failures_[release.attempt].node = found->second;
    in_.erase(found);
  }
}

void Audit::on(const job::AvoidHost& avoid) {
  avoided_.emplace(avoid.node, steps_);
}

void Audit::on(const job::ForgiveHost& forgive) {
  if (plan_.blacklist.mode == job::Blacklist::Mode::strict) broken("strict mode forgives " + forgive.node);
  avoided_.erase(forgive.node);
}

void Audit::on(const job::Finish& finish) {
  const auto& outcome = finish.outcome;
  if (!open_.empty()) broken(fmt::format("{} is still asked for when the job ends", brief(*open_.begin())));
  if (!in_.empty()) broken(fmt::format("{} still has its container when the job ends", brief(in_.begin()->first)));
  if (outcome.state != core::JobState::failed || !outcome.first_failure) return;
  auto failure = failures_[*outcome.first_failure];
  failure.cause = outcome.cause;  // its end may have been recorded again since, as that of a task that was stopped
  const bool is_the_same_everywhere = outcome.reason.contains("trying again cannot help");
  if (failure.has_no_place || is_the_same_everywhere || price_of(failure.cause) == Price::nothing_helps) return;
  const auto what = fmt::format("the job fails for {} ({})", brief(*outcome.first_failure), name(failure.cause));
  if (outcome.cause == job::Cause::port_taken) {
    if (ports_taken_ < kMostPortsTaken) broken(what + ", and it may happen more often");
    return;
  }
  if (!costs_a_retry(failure)) return broken(what + ", which costs no retry");
  if (left_[outcome.first_failure->task.role] > 0 || starts_left_ > 0) broken(what + ", and retries are left");
}

// ---- retries ---------------------------------------------------------------------------------------------------

// The table of docs/faults.md.
Audit::Price Audit::price_of(job::Cause cause) {
  using job::Cause;
  switch (cause) {
    case Cause::cannot_start:
    case Cause::not_executable:
      return Price::nothing_helps;
    case Cause::preempted:
      return Price::free;
    case Cause::host_lost:
    case Cause::agent_lost:
    case Cause::disk:
    case Cause::decommissioned:
    case Cause::cluster:
    case Cause::stopped:
      return Price::free_when_rare;
    case Cause::none:
    case Cause::exit_code:
    case Cause::signal:
    case Cause::memory:
    case Cause::start_failed:
    case Cause::files:
    case Cause::results:
    case Cause::port_taken:
    case Cause::no_capacity:
    case Cause::timeout:
    case Cause::hung:
      return Price::retry;
  }
  return Price::retry;
}

bool Audit::costs_a_retry(const Failure& failure) {
  const auto price = price_of(failure.cause);
  if (price != Price::free_when_rare) return price == Price::retry;
  std::erase_if(was_free_, [&](const auto& one) { return now_ - one.first >= kFreeWindow; });
  const bool is_known = std::ranges::any_of(was_free_, [&](const auto& one) {
    return !failure.node.empty() && one.second == failure.node && now_ - one.first < kOneIncident;
  });
  if (is_known) return false;
  if (was_free_.size() >= kMostFree) return true;
  was_free_.emplace_back(now_, failure.node);
  return false;
}

void Audit::started_again(const core::AttemptId& attempt) {
  const auto& role = attempt.task.role;
  if (port_taken_ == attempt) {
    if (++ports_taken_ > kMostPortsTaken) broken("a port was taken too often, and the job goes on");
    return;
  }
  const auto found = failures_.find(attempt);
  if (found == failures_.end()) return;  // it cannot get its address again
  if (found->second.has_no_place || price_of(found->second.cause) == Price::nothing_helps)
    broken(fmt::format("{} is tried again, which cannot help", brief(attempt)));
  if (!costs_a_retry(found->second)) return;
  if (int& left = left_[role]; left > 0) {
    --left;
    return;
  }
  const auto kind = std::ranges::find(plan_.roles, role, &job::RolePlan::name)->kind;
  const bool counts_for_the_job = kind != core::RoleKind::side && kind != core::RoleKind::evaluator;
  if (starts_left_ == 0 || !counts_for_the_job)
    return broken(
        fmt::format("{} ({}) is tried again, and no retry is left", brief(attempt), name(found->second.cause)));
  --starts_left_;
  for (const auto& one : plan_.roles) left_[one.name] = one.retries;
}

}  // namespace ydl::chaos
