#pragma once

#include "core/enum_names.hpp"

namespace ydl::job {

// Why an attempt ended without success, or could not start. The component that observes the end decides the cause: the
// agent, or on YARN the backend from what the NodeManager and the ResourceManager report. All others pass it on.
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
  host_lost,       // the host or its NodeManager was lost
  agent_lost,      // its agent ended or does not answer
  preempted,       // the scheduler gave its container to another application
  decommissioned,  // its host leaves the cluster
  cluster,         // the cluster ended its container for a reason of its own
  timeout,         // it did not start, or did not end, within its time
  hung,            // it wrote nothing for longer than its limit
  stopped,         // a user or the job itself stopped it
};

using core::name;  // as written in JSON: "exit_code"

// What follows from an end for this cause. The same table for users is in docs/faults.md.
struct Judgement {
  enum class Charge {
    always,         // it uses one retry
    when_frequent,  // it uses a retry only if it happens more often than in a healthy cluster
    never,
  };
  bool may_help = true;  // another attempt may end differently
  Charge charge = Charge::always;
  bool backs_off = true;     // the next attempt starts after a pause
  bool blames_host = false;  // the host is at fault, so the next attempt should run on another one
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
