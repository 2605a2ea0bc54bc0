#pragma once

#include "job/types.hpp"

#include <string>
#include <vector>

namespace ydl::job {

// What is to happen after a task failed, and why, in words the user sees.
struct Verdict {
  enum class What {
    retry_task,   // start this task again
    retry_gang,   // start every task again, charged to the role
    retry_job,    // start every task again, charged to the job
    report_only,  // nobody depends on it
    fail_job,
  };
  What what = What::fail_job;
  std::string reason;
};

// Counts what may still be tried. Roles have budgets, the job has one; a start of the whole job refills the roles'.
class RestartPolicy {
 public:
  explicit RestartPolicy(const Plan& plan);

  // `role` is the index of the failed task's role in the plan.
  [[nodiscard]] Verdict after_failure(std::size_t role, Cause cause);

  // The ports of a gang were taken by a stranger: not the task's fault, but not for ever either.
  [[nodiscard]] Verdict after_port_taken();

 private:
  static constexpr int kPortRetries = 5;

  std::vector<RolePlan> roles_;
  int job_retries_;
  std::vector<int> role_retries_left_;
  int job_retries_left_;
  int port_retries_left_ = kPortRetries;

  [[nodiscard]] std::vector<int> full_budgets() const;
};

}  // namespace ydl::job
