#pragma once

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "core/job_states.hpp"
#include "core/roles.hpp"
#include "job/cause.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <boost/describe/class.hpp>

// The vocabulary of the job core: what to run (Plan), what happened (events), what to do (actions), and how the job
// stands (Snapshot). Plain values without behaviour.
namespace ydl::job {

using core::AttemptId;
using core::Instant;
using core::is_final;
using core::JobState;
using core::Millis;
using core::RecordKind;
using core::RestartUnit;
using core::RoleKind;
using core::TaskId;
using core::TaskState;

struct RolePlan {
  std::string name;
  int count = 1;
  RoleKind kind = RoleKind::decider;
  RestartUnit restart = RestartUnit::task;
  int retries = 0;                  // for all tasks of the role together
  std::string restart_reason = {};  // why one task cannot restart alone, as users read it; may be empty
  // Not 0: the role is elastic; the job runs with `least` to `count` of these tasks.
  int least = 0;
  [[nodiscard]] bool is_elastic() const { return least > 0 && least < count; }
};

// Which hosts a job avoids.
struct Blacklist {
  enum class Mode {
    decay,   // hosts that caused several failures, for a limited time
    strict,  // every host on which a task failed, until the job ends
    off,
  };
  Mode mode = Mode::decay;
  int failures = 2;                       // the job avoids a host after this many (decay)
  Millis forget = std::chrono::hours(1);  // after this time a fault no longer counts (decay)
};
BOOST_DESCRIBE_STRUCT(Blacklist, (), (mode, failures, forget))

struct Plan {
  std::vector<RolePlan> roles;
  int job_retries = 0;                             // restarts of the whole job, once the roles' retries are used up
  Millis allocation_timeout = core::Seconds(300);  // for one attempt to place the whole gang
  int allocation_rounds = 3;                       // attempts to place the gang before the job fails
  Millis allocation_backoff = core::Seconds(10);   // the longest pause between two of these attempts; it is random
  Millis start_timeout = core::Seconds(120);       // from the launch of a task until it runs
  Millis run_timeout = Millis(0);                  // for the whole job; 0: none
  Millis stop_grace = core::Seconds(10);           // from SIGTERM to SIGKILL
  Millis evaluator_grace = core::Seconds(600);     // for evaluators, after all deciders succeeded
  std::uint64_t seed = 1;                          // of the random back-off
  bool fail_fast = true;                           // an error that is the same on every host ends the job
  Millis stall_timeout = Millis(0);                // a task that writes nothing for this long hangs; 0: never
  Blacklist blacklist = {};
  Millis grow_every = std::chrono::minutes(10);  // the shortest time between two restarts of a gang to add tasks
  bool one_host = false;                         // the job runs on this machine, so a task cannot move to another host
  bool rendezvous_in_master = false;             // running tasks cannot continue if their master is lost
  // The task whose agent runs the scheduler that the others register with. Its container is kept after the task has
  // ended, as long as others run.
  std::optional<TaskId> rendezvous_at = std::nullopt;
};

// Where a task runs: a host and the ports held for it there.
struct Place {
  std::string host;  // a name or address that its peers can connect to
  std::string node;  // the node's name as users read it
  std::vector<std::uint16_t> ports;
  std::string container = {};  // the backend's own name, by which another master finds the container; may be empty

  bool operator==(const Place&) const = default;
};

struct ExitStatus {
  int code = 0;                    // the exit code, if no signal ended the task
  int signal = 0;                  // the signal that ended it, or 0
  bool out_of_memory = false;      // the kernel or the cluster killed it because it used too much memory
  std::uint64_t peak_memory = 0;   // bytes, 0 when unknown
  std::uint64_t memory_limit = 0;  // bytes, 0 when none was set
  std::string killer = {};         // what killed it, why, and what to do; "" if that is not known
  std::string last_line = {};      // of its log, printable; "" if it wrote nothing, or its log was not read
  // Set if the cause does not follow from code and signal: results were not saved, a NodeManager killed the task.
  Cause cause = Cause::none;
  [[nodiscard]] bool ok() const { return code == 0 && signal == 0; }
  // The code that a shell would report: the exit code, or 128 + signal.
  [[nodiscard]] int shell_code() const { return signal != 0 ? 128 + signal : code; }
};
BOOST_DESCRIBE_STRUCT(ExitStatus, (),
                      (code, signal, out_of_memory, peak_memory, memory_limit, killer, last_line, cause))

// ---- events: what happened outside -----------------------------------------------------------------------------
struct Begin {};
struct Placed {
  AttemptId attempt;
  Place place;
};
// Steps before Placed on a cluster: a container was allocated to the attempt, and then the agent in it has connected.
struct Granted {
  AttemptId attempt;
  std::string node;
};
struct Reached {
  AttemptId attempt;
};
// The backend is still trying. Users see the reason, also if the time for it runs out. Empty: the reason has passed.
struct NotPlacedYet {
  AttemptId attempt;
  std::string reason;
};
// The backend cannot place it at all.
struct CannotPlace {
  AttemptId attempt;
  std::string reason;
  Cause cause = Cause::no_capacity;
};
struct Started {
  AttemptId attempt;
  int pid = 0;
};
// `cause` is cannot_start (no attempt can succeed), port_taken (all tasks restart on new ports without using a retry)
// or start_failed (another attempt may succeed).
struct StartFailed {
  AttemptId attempt;
  Cause cause = Cause::start_failed;
  std::string reason;
};
// Its process has ended and its results are being saved. This is repeated until they are saved; Exited follows.
struct Saving {
  AttemptId attempt;
};
struct Exited {
  AttemptId attempt;
  ExitStatus status;
};
// The task's host or agent is lost. Whether the task still runs is not known.
struct Lost {
  AttemptId attempt;
  std::string reason;
  Cause cause = Cause::agent_lost;
};
// What the task has written so far is saved. The task continues.
struct Saved {
  AttemptId attempt;
};
// The task has written nothing for timeouts.stall; WritesAgain reports that it writes again.
struct FellSilent {
  AttemptId attempt;
};
struct WritesAgain {
  AttemptId attempt;
};
// The cluster will take the task's container away after this time; WarningOver reports that it will not.
struct Warned {
  AttemptId attempt;
  Cause cause = Cause::preempted;
  Millis within{0};
};
struct WarningOver {
  AttemptId attempt;
};
// Something failed that all tasks depend on, such as the scheduler of the parameter servers.
struct Broken {
  std::string reason;
};
// The scheduler that the tasks register with failed, in the agent of this attempt. Often a task's failure is the cause,
// and another agent reports that failure a moment later; so the machine waits for it before it acts on this event.
struct RendezvousFailed {
  AttemptId attempt;
  std::string reason;
};
// A container on this node failed before its attempt was placed there. The backend requests another one.
struct HostFailed {
  AttemptId attempt;
  std::string node;
  Cause cause = Cause::start_failed;
  std::string reason;
};
// Tasks of this role wait, and too few nodes are left that could run them and are not avoided.
struct NoHostLeft {
  std::string role;
};
struct StopRequested {
  std::string by;  // "ann at edge1"; where no user asked, a clause: "because the ydl client has exited"
  std::optional<Millis> grace;
};
// A message for users that the state machine does not act on. It becomes a Record.
struct Noted {
  RecordKind kind = RecordKind::note;
  std::optional<AttemptId> attempt;
  std::string text;
  std::optional<core::WallTime> time;  // nothing: now
};
// A new master has taken the job over. It has every event of the master before it, but does not know which of the
// resulting actions that master carried out.
struct TookOver {
  std::string host;  // where it runs
};
// The driver could not carry out actions for a while. That time does not count against the deadlines of tasks.
struct Delayed {};
// A deadline may have passed; see Machine::next_deadline().
struct Tick {};
using Event = std::variant<Begin, Granted, Reached, Placed, NotPlacedYet, CannotPlace, Started, StartFailed, Saving,
                           Exited, Lost, HostFailed, NoHostLeft, Saved, FellSilent, WritesAgain, Warned, WarningOver,
                           Broken, RendezvousFailed, StopRequested, Noted, TookOver, Delayed, Tick>;

// ---- actions: what is to be done -------------------------------------------------------------------------------
// Find a host and hold ports there.
struct Ask {
  AttemptId attempt;
  // The attempt of this task before it, if its container or agent may be reused. The machine has not released that
  // attempt: the backend must free whatever it does not reuse.
  std::optional<int> takes_over = std::nullopt;
  // Not empty: only that container with these ports will do; if it is gone, the backend reports Lost.
  std::vector<std::uint16_t> same_ports = {};
  std::set<std::string> not_on = {};  // nodes to avoid if other nodes can run the task
};
// No task is placed on this node until ForgiveHost. Tasks that run there continue.
struct AvoidHost {
  std::string node;
};
struct ForgiveHost {
  std::string node;
};
// An earlier master has placed this attempt: find its container again, or report the attempt as lost. The earlier
// master may already have carried out actions about this attempt that follow this one.
struct Adopt {
  enum class Stage {
    placed,    // it was not launched
    launched,  // it may run, or may have ended
    over,      // it has ended; its container is kept for the next attempt
  };
  AttemptId attempt;
  Place place;
  Stage stage = Stage::placed;
};
struct Launch {
  AttemptId attempt;
};  // start the task; in a gang, only after every task was placed
struct Stop {
  AttemptId attempt;
  Millis grace;
  bool writes_stacks = false;  // the task hangs: write the stacks of its processes to its log first
};  // SIGTERM, then after `grace` SIGKILL
// Tell the attempt that `task`, which may be itself, will lose its container; CallOff: the container stays after all.
struct Warn {
  AttemptId attempt;
  TaskId task;
  Cause cause = Cause::preempted;
  Millis within{0};
};
struct CallOff {
  AttemptId attempt;
};
struct Release {
  AttemptId attempt;
};  // the attempt no longer needs its container

// An entry of events.jsonl, for users and programs.
struct Record {
  RecordKind kind = RecordKind::note;
  std::optional<AttemptId> attempt;
  std::string text;                                   // one sentence for users
  std::optional<ExitStatus> exit;                     // task_succeeded, task_failed; of a job that ended: its code
  std::optional<Place> place;                         // task_placed
  int pid = 0;                                        // task_running
  Cause cause = Cause::none;                          // task_failed, task_lost, job_failed
  std::optional<core::WallTime> time = std::nullopt;  // nothing: when it is written
};

struct Outcome {
  JobState state = JobState::succeeded;    // succeeded, failed or stopped
  int exit_code = 0;                       // of the task that decided
  std::string reason;                      // one sentence
  std::optional<AttemptId> first_failure;  // the attempt that failed first and for good
  Cause cause = Cause::none;               // of a job that failed
};
struct Finish {
  Outcome outcome;
};

// ---- the rendezvous: the service that the tasks of a framework register with, such as the scheduler of ps-lite.
// Drivers ignore these actions if the framework has none.
struct OpenRendezvous {};   // all tasks are about to start, and will register
struct CloseRendezvous {};  // all tasks are about to stop: ignore what they still send
struct MemberEnded {
  enum class Next {
    unknown,   // not decided yet
    restarts,  // it registers again with its next attempt
    left,      // it succeeded
    gone,      // it was stopped or lost
  };
  AttemptId attempt;
  Next next = Next::unknown;
  std::string reason;  // one sentence
};

using Action = std::variant<Ask, Adopt, AvoidHost, ForgiveHost, Launch, Stop, Warn, CallOff, Release, OpenRendezvous,
                            CloseRendezvous, MemberEnded, Record, Finish>;

// ---- what it looks like now ------------------------------------------------------------------------------------
struct TaskSnapshot {
  TaskId id;
  int attempt = 1;
  TaskState state = TaskState::waiting;
  std::string reason;  // why it waits, failed or is stopped; may be empty
  std::optional<Place> place;
  std::optional<Instant> running_since;
  std::optional<Instant> ended_at;
  std::optional<ExitStatus> exit;   // of the latest attempt that ended
  Cause cause = Cause::none;        // why the latest attempt failed or was lost
  std::optional<Instant> saved_at;  // when what it had written was last saved, by whichever attempt
  // When it was last saved as the first task of its role, which writes checkpoints for the others. In jobs with elastic
  // roles another task may become the first one later.
  std::optional<Instant> saved_as_first;
  bool is_member = true;  // false: its role is elastic, and the job currently runs without it
};
struct AvoidedHost {
  std::string node;
  std::optional<Instant> until;  // nothing: until the job ends
  std::string reason;            // "2 containers lost"
};
struct Snapshot {
  JobState state = JobState::placing;
  int attempt = 1;  // of the whole job
  std::vector<TaskSnapshot> tasks;
  std::optional<Outcome> outcome;
  std::vector<AvoidedHost> avoided;  // the one avoided longest comes first
};

// `status.cause` if it is set; else memory, signal or exit_code; none for a success.
[[nodiscard]] Cause cause_of(const ExitStatus& status);
// "failed with exit code 3", "was killed by signal 9 (SIGKILL)", "ran out of memory: ...".
[[nodiscard]] std::string describe(const ExitStatus& status);

}  // namespace ydl::job

template <>
struct ydl::core::EnumNames<ydl::job::MemberEnded::Next> {
  static constexpr auto kNames = names_up_to(job::MemberEnded::Next::gone, "unknown", "restarts", "left", "gone");
};
template <>
struct ydl::core::EnumNames<ydl::job::Blacklist::Mode> {
  static constexpr auto kNames = names_up_to(job::Blacklist::Mode::off, "decay", "strict", "off");
};
