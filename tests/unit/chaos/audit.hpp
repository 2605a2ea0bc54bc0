#pragma once

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "job/types.hpp"

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ydl::chaos {

// What docs/faults.md promises of a job, counted a second time from what its machine was told and what it answered. It
// sees all events from the first one on, with those that another master replays, so it needs no state of its own on
// HDFS.
//
// Retries: a charged failure uses a retry of its role, and then a retry of the job. Other failures use none, some of
// them only 20 times an hour. A job fails for its failures only when no retry is left. Hosts: an attempt that was
// requested after a host was avoided is not placed on that host. Containers: an attempt is requested once, and each
// request ends with a container, an error or a release; each container is released or lost before the job ends.
class Audit {
 public:
  explicit Audit(const job::Plan& plan);

  // Returns the broken promise, or "".
  [[nodiscard]] std::string step(const job::Event& event, const std::vector<job::Action>& actions, core::Instant now);

 private:
  struct Failure {
    job::Cause cause = job::Cause::none;
    std::string node;
    bool has_no_place = false;  // it is not tried again, whatever retries are left
  };
  enum class Price { free, free_when_rare, retry, nothing_helps };

  void told(const job::Placed& event);
  void told(const job::CannotPlace& event);
  void told(const job::Lost& event);
  void told(const job::StartFailed& event);
  void told(const job::TookOver& event);
  void told(const auto& /*other*/) {}
  void on(const job::Record& record);
  void on(const job::Ask& ask);
  void on(const job::Launch& launch);
  void on(const job::Release& release);
  void on(const job::AvoidHost& avoid);
  void on(const job::ForgiveHost& forgive);
  void on(const job::Finish& finish);
  void on(const auto& /*other*/) {}
  [[nodiscard]] static Price price_of(job::Cause cause);
  [[nodiscard]] bool costs_a_retry(const Failure& failure);
  void started_again(const core::AttemptId& attempt);
  void broken(std::string promise);

  job::Plan plan_;
  core::Instant now_{};
  int steps_ = 0;
  std::string violation_;

  std::map<std::string, int> left_;  // retries of roles
  int starts_left_ = 0;              // of the whole job
  int ports_taken_ = 0;
  std::optional<core::AttemptId> port_taken_;                   // what this step is about
  std::deque<std::pair<core::Instant, std::string>> was_free_;  // within the last hour, with its node
  std::map<core::AttemptId, Failure> failures_;

  std::map<std::string, int> avoided_;         // hosts, and in which step
  std::map<core::AttemptId, int> asked_;       // in which step
  std::map<core::TaskId, int> newest_;         // attempts
  std::set<core::AttemptId> open_;             // asked for, and nothing has come of it yet
  std::map<core::AttemptId, std::string> in_;  // placed attempts, and their nodes
};

}  // namespace ydl::chaos
