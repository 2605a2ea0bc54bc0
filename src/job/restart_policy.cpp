#include "job/restart_policy.hpp"

#include "core/assert.hpp"

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

Verdict RestartPolicy::after_failure(std::size_t index, Cause cause) {
  using What = Verdict::What;
  YDL_ASSERT(index < roles_.size());
  const auto& role = roles_[index];
  const bool may_help = may_help_to_retry(cause);

  if (may_help) {
    if (int& left = role_retries_left_[index]; left > 0) {
      --left;
      auto reason = left == 0 ? fmt::format("the last retry of role {}", role.name)
                              : fmt::format("{} more left for role {}", left, role.name);
      if (role.restart == RestartUnit::task) return {What::retry_task, std::move(reason)};
      if (!role.restart_reason.empty()) reason += fmt::format(" ({})", role.restart_reason);
      return {What::retry_gang, std::move(reason)};
    }
  }
  if (role.kind == RoleKind::side || role.kind == RoleKind::evaluator) {
    return {What::report_only, fmt::format("the job does not depend on role {}", role.name)};
  }
  if (may_help && job_retries_left_ > 0) {
    --job_retries_left_;
    role_retries_left_ = full_budgets();
    return {What::retry_job, job_retries_left_ == 0 ? "the last retry of the job"
                                                    : fmt::format("{} more left for the job", job_retries_left_)};
  }
  if (!may_help) return {What::fail_job, "trying again cannot help"};
  return {What::fail_job,
          role.retries > 0 || job_retries_ > 0 ? "no retries are left" : "no retries were asked for (--retries N)"};
}

Verdict RestartPolicy::after_port_taken() {
  if (port_retries_left_ == 0) {
    return {
        Verdict::What::fail_job,
        fmt::format("{} times another program took a port that was held for the job; choose others with --port-range",
                    kPortRetries + 1)};
  }
  --port_retries_left_;
  return {Verdict::What::retry_gang, "on new ports; no retry is charged"};
}

}  // namespace ydl::job
