#pragma once

#include "core/enum_names.hpp"

namespace ydl::job {

// Why an attempt ended without success, or could not begin. The part that sees the end decides the cause (the agent,
// the NodeManager's exit status, the ResourceManager); policy, records, the API and the screen pass it on.
enum class Cause {
  none,            // nothing went wrong
  exit_code,       // the task ended with an exit code other than 0
  signal,          // a signal ended the task
  memory,          // it used more memory than its limit
  cannot_start,    // its command does not exist on the host
  not_executable,  // its command exists and cannot be executed
  start_failed,    // its process or container did not start this time
  files,           // its files could not be made available on the host
  results,         // its results could not be saved
  disk,            // the host's disks are full or broken
  port_taken,      // another program bound a port that was held for the task
  no_capacity,     // no host with enough free resources was found
  host_lost,       // the host is gone, or its NodeManager is
  agent_lost,      // its agent ended or is silent
  preempted,       // the scheduler gave its container to another application
  decommissioned,  // its host leaves the cluster
  cluster,         // the cluster ended its container for a reason of its own
  timeout,         // it did not start, or did not end, within its time
  hung,            // it wrote nothing for longer than its limit
  stopped,         // a user or the job itself stopped it
};

using core::name;  // as written in JSON: "exit_code"

// What an end for this cause leads to. docs/faults.md has the table.
struct Judgement {
  enum class Charge {
    always,         // it takes one of the retries
    when_frequent,  // only when it happens more often than a healthy cluster explains
    never,
  };
  bool may_help = true;  // whether another attempt may end differently
  Charge charge = Charge::always;
  bool backs_off = true;     // whether the next attempt waits
  bool blames_host = false;  // whether the host is at fault: the next attempt is better off elsewhere
};
[[nodiscard]] Judgement judge(Cause cause);

}  // namespace ydl::job

template <>
struct ydl::core::EnumNames<ydl::job::Cause> {
  static constexpr auto kNames =
      names_up_to(job::Cause::stopped, "none", "exit_code", "signal", "memory", "cannot_start", "not_executable",
                  "start_failed", "files", "results", "disk", "port_taken", "no_capacity", "host_lost", "agent_lost",
                  "preempted", "decommissioned", "cluster", "timeout", "hung", "stopped");
};
