#pragma once

#include "job/types.hpp"

#include <deque>
#include <string>
#include <vector>

namespace ydl::job {

// What the job does after a failure, and the reason as users read it.
struct Verdict {
  enum class What {
    retry_task,   // start this task again
    retry_gang,   // start every task again; the role pays the retry
    retry_job,    // start every task again; the job pays the retry
    report_only,  // the job continues without the task
    fail_job,
  };
  What what = What::fail_job;
  std::string reason;
};

// An attempt that ended without success.
struct Failure {
  std::size_t role = 0;  // the index of the task's role in the plan
  Cause cause = Cause::none;
  std::string node = {};
  bool keeps_address = true;  // the container is still there, so the next attempt can have the same host and ports
};

// Counts the retries that are left. Each role has a budget, and so has the job; a retry of the whole job refills the
// budgets of the roles. Ends that the job did not cause use no retry, up to kMostUncharged per hour. All ends on one
// host within one minute count as one of these, because many tasks may run on a host that is lost.
class RestartPolicy {
 public:
  explicit RestartPolicy(const Plan& plan);

  [[nodiscard]] Verdict after_failure(const Failure& failure, Instant now);

  // Another program took a port of the job. This uses no retry, but a job does not restart for it without limit.
  [[nodiscard]] Verdict after_port_taken();

  // Whether after_failure() would restart only this task, not all tasks.
  [[nodiscard]] bool retries_alone(std::size_t role) const;
  // The retries of the role plus those of the job.
  [[nodiscard]] int retries_left(std::size_t role) const;

 private:
  static constexpr int kPortRetries = 5;
  static constexpr std::size_t kMostUncharged = 20;  // in kUnchargedWindow
  static constexpr Millis kUnchargedWindow = std::chrono::hours(1);
  static constexpr Millis kOneIncident = std::chrono::minutes(1);

  [[nodiscard]] std::vector<int> full_budgets() const;
  [[nodiscard]] bool is_charged(const Failure& failure, Instant now);
  [[nodiscard]] static Verdict retry(const RolePlan& role, bool keeps_address, std::string reason);

  std::vector<RolePlan> roles_;
  int job_retries_;
  std::vector<int> role_retries_left_;
  int job_retries_left_;
  int port_retries_left_ = kPortRetries;
  struct Uncharged {
    Instant at;
    std::string node;
  };
  std::deque<Uncharged> uncharged_;  // within the last kUnchargedWindow
};

}  // namespace ydl::job
