#pragma once

#include "job/types.hpp"

#include <deque>
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

// An end of an attempt without success.
struct Failure {
  std::size_t role = 0;  // the index of the task's role in the plan
  Cause cause = Cause::none;
  std::string node = {};
  bool keeps_address = true;  // the container lives: the next attempt may have its host and ports
};

// Counts what may still be tried. Roles have budgets, the job has one; a start of the whole job refills the roles'.
// Ends that are nobody's fault in the job are not charged, up to a number per hour; those of one host in one minute, on
// which many tasks may run, are one of them.
class RestartPolicy {
 public:
  explicit RestartPolicy(const Plan& plan);

  [[nodiscard]] Verdict after_failure(const Failure& failure, Instant now);

  // The ports of a gang were taken by a stranger: not the task's fault, but not for ever either.
  [[nodiscard]] Verdict after_port_taken();

  // Whether after_failure() would have a task of this role start again alone.
  [[nodiscard]] bool retries_alone(std::size_t role) const;
  // Of the role and of the job together.
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
