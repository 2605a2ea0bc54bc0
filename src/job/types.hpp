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

// What the job core speaks of: what to run (Plan), what happened (events), what to do (actions), what it looks like
// now (Snapshot). Plain values, no behaviour.
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
  std::string restart_reason = {};  // why a task alone cannot start again, for people; may be empty
  // Not 0: the job goes on with this many of them, and `count` is the most.
  int least = 0;
  [[nodiscard]] bool is_elastic() const { return least > 0 && least < count; }
};

// Which hosts a job does not use again.
struct Blacklist {
  enum class Mode {
    decay,   // hosts that were at fault several times, for a while
    strict,  // every host where a task failed, until the job ends
    off,
  };
  Mode mode = Mode::decay;
  int failures = 2;                       // of a host, until it is avoided (decay)
  Millis forget = std::chrono::hours(1);  // after this time a fault no longer counts (decay)
};
BOOST_DESCRIBE_STRUCT(Blacklist, (), (mode, failures, forget))

struct Plan {
  std::vector<RolePlan> roles;
  int job_retries = 0;                             // starts of the whole job after the first, once retries are used up
  Millis allocation_timeout = core::Seconds(300);  // for one attempt to place the whole gang
  int allocation_rounds = 3;                       // attempts to place the gang before the job fails
  Millis allocation_backoff = core::Seconds(10);   // at most this long between two of them, chosen at random
  Millis start_timeout = core::Seconds(120);       // from "start" to "running" of a task
  Millis run_timeout = Millis(0);                  // for the whole job; 0: none
  Millis stop_grace = core::Seconds(10);           // from SIGTERM to SIGKILL
  Millis evaluator_grace = core::Seconds(600);     // for evaluators, after the deciders are done
  std::uint64_t seed = 1;                          // of the random back-off
  bool fail_fast = true;                           // whether an error that is the same on every host ends the job
  Millis stall_timeout = Millis(0);                // what agents take for a hang; 0: nothing
  Blacklist blacklist = {};
  Millis grow_every = std::chrono::minutes(10);  // at most so often a gang starts again to take more tasks in
  bool one_host = false;                         // a task that loses it cannot go to another
  bool rendezvous_in_master = false;  // tasks that have started cannot go on without the master they started with
  // The task whose agent runs what the others register with: its place is kept after its end as long as others run.
  std::optional<TaskId> rendezvous_at = std::nullopt;
};

// Where a task runs: a host and the ports held for it there.
struct Place {
  std::string host;  // a name or address that its peers can connect to
  std::string node;  // the node's name, for people
  std::vector<std::uint16_t> ports;
  std::string container = {};  // the backend's own name for it, by which another master finds it; may be empty

  bool operator==(const Place&) const = default;
};

struct ExitStatus {
  int code = 0;                    // what exit() was given, when no signal ended it
  int signal = 0;                  // the signal that ended it, or 0
  bool out_of_memory = false;      // it was killed for its memory, by the kernel or by a cluster
  std::uint64_t peak_memory = 0;   // bytes, 0 when unknown
  std::uint64_t memory_limit = 0;  // bytes, 0 when none was set
  std::string killer = {};         // who killed it, why, and what to do; "" when nobody said so
  std::string last_line = {};      // of its log, printable; "" when it wrote nothing or nobody looked
  // Set where the code and the signal do not tell the cause: results that were not saved, a NodeManager's kill.
  Cause cause = Cause::none;
  [[nodiscard]] bool ok() const { return code == 0 && signal == 0; }
  // The code a shell would report: the exit code, or 128 + signal.
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
// On the way to a place, where it is not had at once: a container is its own; the agent there has called.
struct Granted {
  AttemptId attempt;
  std::string node;
};
struct Reached {
  AttemptId attempt;
};
// The backend is still trying; the reason is shown and named if time runs out. Empty: no reason known any more.
struct NotPlacedYet {
  AttemptId attempt;
  std::string reason;
};
// The backend will never place it.
struct CannotPlace {
  AttemptId attempt;
  std::string reason;
  Cause cause = Cause::no_capacity;
};
struct Started {
  AttemptId attempt;
  int pid = 0;
};
// `cause` is cannot_start (no attempt can succeed), port_taken (the gang gets new ports, no retry is charged) or
// start_failed (another attempt may succeed).
struct StartFailed {
  AttemptId attempt;
  Cause cause = Cause::start_failed;
  std::string reason;
};
// Its process has ended and its results are being saved: its end is to be waited for as long as this is said.
struct Saving {
  AttemptId attempt;
};
struct Exited {
  AttemptId attempt;
  ExitStatus status;
};
// The task's host or agent is gone; whether the task still runs is not known.
struct Lost {
  AttemptId attempt;
  std::string reason;
  Cause cause = Cause::agent_lost;
};
// What the task had written until now is saved; it runs on.
struct Saved {
  AttemptId attempt;
};
// The task has written nothing for timeouts.stall; later, that it writes again.
struct FellSilent {
  AttemptId attempt;
};
struct WritesAgain {
  AttemptId attempt;
};
// The cluster will take the task's container away after this time; later, that it does not.
struct Warned {
  AttemptId attempt;
  Cause cause = Cause::preempted;
  Millis within{0};
};
struct WarningOver {
  AttemptId attempt;
};
// Something that all tasks depend on failed: the parameter server's scheduler, say.
struct Broken {
  std::string reason;
};
// What the tasks register with failed, at the agent of this attempt. A task's end that it follows from, and that is
// reported a moment later, decides before it does.
struct RendezvousFailed {
  AttemptId attempt;
  std::string reason;
};
// A container on this node failed before its attempt could be placed there; the attempt goes on asking for another.
struct HostFailed {
  AttemptId attempt;
  std::string node;
  Cause cause = Cause::start_failed;
  std::string reason;
};
// Tasks of this role wait, and the nodes that could run them and are not avoided are too few.
struct NoHostLeft {
  std::string role;
};
struct StopRequested {
  std::string by;  // "ann at edge1"; where no user asked, a clause: "because the ydl client has exited"
  std::optional<Millis> grace;
};
// Something that a person must know, and that the state machine does not decide about: it becomes a Record.
struct Noted {
  RecordKind kind = RecordKind::note;
  std::optional<AttemptId> attempt;
  std::string text;
  std::optional<core::WallTime> time;  // nothing: now
};
// Another master has taken the job over: it knows what the one before it was told, and not what that one has done.
struct TookOver {
  std::string host;  // where it runs
};
// What the machine wanted was not done for a while: that time counts for no deadline of a task.
struct Delayed {};
// A deadline may have passed.
struct Tick {};
using Event = std::variant<Begin, Granted, Reached, Placed, NotPlacedYet, CannotPlace, Started, StartFailed, Saving,
                           Exited, Lost, HostFailed, NoHostLeft, Saved, FellSilent, WritesAgain, Warned, WarningOver,
                           Broken, RendezvousFailed, StopRequested, Noted, TookOver, Delayed, Tick>;

// ---- actions: what is to be done -------------------------------------------------------------------------------
// Find a host and hold ports there.
struct Ask {
  AttemptId attempt;
  // The attempt of this task before it, whose container or agent it gets if that still lives. Nothing was released of
  // it: what is not used again is to be freed now.
  std::optional<int> takes_over = std::nullopt;
  std::vector<std::uint16_t> same_ports = {};  // not empty: there or nowhere, with these ports; else Lost is told
  std::set<std::string> not_on = {};           // nodes to be left out where others can do it
};
// No task is to be placed on this node until it is forgiven. What runs there goes on.
struct AvoidHost {
  std::string node;
};
struct ForgiveHost {
  std::string node;
};
// An earlier master has placed this attempt: find its container again, or tell that the attempt is lost. What comes
// after it about the attempt may have been done before.
struct Adopt {
  enum class Stage {
    placed,    // it was not told to start
    launched,  // it may run, or may have ended
    over,      // it has ended; its container is kept for the next attempt
  };
  AttemptId attempt;
  Place place;
  Stage stage = Stage::placed;
};
struct Launch {
  AttemptId attempt;
};  // every task has a place: start this one
struct Stop {
  AttemptId attempt;
  Millis grace;
  bool writes_stacks = false;  // it hangs: its log is to say where
};  // ask it to end, then make it
// Tell it that `task`, which may be itself, will lose its container; or that this is not so any more.
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
};  // its place is not needed any more

// An entry of the journal.
struct Record {
  RecordKind kind = RecordKind::note;
  std::optional<AttemptId> attempt;
  std::string text;                                   // one sentence for people
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

// ---- the rendezvous: what the tasks of a framework register with (the scheduler of ps-lite). The driver of a
// framework without one ignores these.
struct OpenRendezvous {};   // a start of all tasks begins: they register afresh
struct CloseRendezvous {};  // all tasks are about to be stopped: what they still say there means nothing
struct MemberEnded {
  enum class Next {
    unknown,   // what follows is not decided yet
    restarts,  // it comes back with its next attempt
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
  // The same while it was the first of its role, which writes for the others; in jobs with elastic roles, where another
  // task may be that later.
  std::optional<Instant> saved_as_first;
  bool is_member = true;  // not: its role is elastic, and the job goes on without it now
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
  std::vector<AvoidedHost> avoided;  // the one that was avoided first comes first
};

// exit_code, signal, memory or what `status.cause` names; none for a success.
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
