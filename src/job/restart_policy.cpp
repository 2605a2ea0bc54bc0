#include "job/restart_policy.hpp"

#include "core/assert.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace ydl::job {

RestartPolicy::RestartPolicy(const Plan& plan)
    : roles_(plan.roles),
      job_retries_(plan.job_retries),
      role_retries_left_(full_budgets()),
      job_retries_left_(plan.job_retries) {}

std::vector<int> RestartPolicy::full_budgets() const {
  std::vector<int> budgets;
  for (const auto& role : roles_) budgets.push_back(role.retries);
  return budgets;
}

bool RestartPolicy::is_charged(const Failure& failure, Instant now) {
  using Charge = Judgement::Charge;
  const auto charge = judge(failure.cause).charge;
  if (charge != Charge::when_frequent) return charge == Charge::always;
  while (!uncharged_.empty() && now - uncharged_.front().at >= kUnchargedWindow) uncharged_.pop_front();
  const bool is_known = std::ranges::any_of(uncharged_, [&](const Uncharged& one) {
    return !one.node.empty() && one.node == failure.node && now - one.at < kOneIncident;
  });
  if (is_known) return false;
  if (uncharged_.size() >= kMostUncharged) return true;
  uncharged_.push_back({now, failure.node});
  return false;
}

Verdict RestartPolicy::retry(const RolePlan& role, bool keeps_address, std::string reason) {
  using What = Verdict::What;
  if (role.restart == RestartUnit::task) return {What::retry_task, std::move(reason)};
  if (role.restart == RestartUnit::task_in_place && keeps_address) return {What::retry_task, std::move(reason)};
  if (!role.restart_reason.empty()) reason += fmt::format("; {}", role.restart_reason);
  return {What::retry_gang, std::move(reason)};
}

Verdict RestartPolicy::after_failure(const Failure& failure, Instant now) {
  using What = Verdict::What;
  YDL_ASSERT(failure.role < roles_.size());
  const auto& role = roles_[failure.role];
  const auto judgement = judge(failure.cause);

  if (judgement.may_help) {
    if (!is_charged(failure, now)) return retry(role, failure.keeps_address, "this uses no retry");
    if (int& left = role_retries_left_[failure.role]; left > 0) {
      --left;
      return retry(role, failure.keeps_address,
                   fmt::format("retry {} of {} for role {}", role.retries - left, role.retries, role.name));
    }
  }
  if (role.kind == RoleKind::side || role.kind == RoleKind::evaluator) {
    return {What::report_only, fmt::format("tasks of role {} may fail", role.name)};
  }
  if (judgement.may_help && job_retries_left_ > 0) {
    --job_retries_left_;
    role_retries_left_ = full_budgets();
    return {What::retry_job, fmt::format("retry {} of {} for the job", job_retries_ - job_retries_left_, job_retries_)};
  }
  if (!judgement.may_help) return {What::fail_job, "a retry would not help"};
  return {What::fail_job,
          role.retries > 0 || job_retries_ > 0 ? "no retries are left" : "no retries are set (--retries N)"};
}

bool RestartPolicy::retries_alone(std::size_t role) const {
  return roles_[role].restart != RestartUnit::gang && role_retries_left_[role] > 0;
}

int RestartPolicy::retries_left(std::size_t role) const {
  return role_retries_left_[role] + job_retries_left_;
}

Verdict RestartPolicy::after_port_taken() {
  if (port_retries_left_ == 0) {
    return {Verdict::What::fail_job,
            fmt::format("another program took a port of the job {} times; choose other ports with --port-range",
                        kPortRetries + 1)};
  }
  --port_retries_left_;
  return {Verdict::What::retry_gang, "on new ports; this uses no retry"};
}

}  // namespace ydl::job
