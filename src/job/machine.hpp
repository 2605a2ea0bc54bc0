#pragma once

#include "job/avoided_hosts.hpp"
#include "job/early_errors.hpp"
#include "job/restart_policy.hpp"
#include "job/types.hpp"

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace ydl::job {

// The job as a state machine: it takes events and returns actions. It does no I/O, and time is an argument.
//
//              all placed      all running    deciders succeeded    all ended
//   placing ─────────────> starting ──> running ──────────> finishing ─────────> succeeded
//      ^  │ not placed          │           │                                 ┌> failed
//      │  └ in time             │ failure   │ final failure, stop, timeout    │
//   restarting <────────────────┴───────────┴─────────────> stopping ─────────┴> stopped
//
//   task: waiting ─> placed ─> starting ─> running ─> succeeded | failed | lost
//            ^          └──────────┴──────────┴─> stopping ─> stopped
//            └─ next attempt
//
// An elastic role may run with fewer tasks; the others are absent. The job may request a container for an absent task:
//   absent (requested) ─> placed ─> starting: at once if it starts alone; in a gang, at the next start of all tasks
//
// No task is launched before every task is placed. An attempt number is never used twice. The machine asks for a new
// attempt of a task only after the old one has ended or its host was lost, and ignores events of old attempts.
class Machine {
 public:
  explicit Machine(Plan plan);

  [[nodiscard]] std::vector<Action> handle(const Event& event, Instant now);

  // When handle(Tick) must be called next; nothing while no deadline is set.
  [[nodiscard]] std::optional<Instant> next_deadline() const;

  [[nodiscard]] const Plan& plan() const { return plan_; }
  [[nodiscard]] Snapshot snapshot() const;
  [[nodiscard]] JobState state() const { return state_; }
  // The number of the task's current attempt; nothing if the job has no such task.
  [[nodiscard]] std::optional<int> attempt_of(const TaskId& task) const;
  [[nodiscard]] int task_count() const { return static_cast<int>(tasks_.size()); }
  [[nodiscard]] bool finished() const { return is_final(state_); }
  // Whether the outcome is decided; tasks may still be running.
  [[nodiscard]] bool is_ending() const { return outcome_.has_value(); }

 private:
  struct Task {
    TaskId id;
    std::size_t role = 0;
    int attempt = 1;
    TaskState state = TaskState::waiting;
    std::string reason;
    std::optional<Place> place;
    std::optional<Instant> running_since;
    std::optional<Instant> ended_at;
    std::optional<ExitStatus> exit;
    Cause cause = Cause::none;        // of the latest attempt that failed or was lost
    std::optional<Instant> deadline;  // for its retry to be placed, its start or its stop
    bool retry_when_ended = false;    // its retry waits until this attempt has ended
    bool is_released = false;         // its container is released, but its end is not confirmed
    bool is_saving = false;           // its process has ended; its results are being saved
    bool is_recorded = false;         // an event names this attempt, so another event must report its end
    bool is_silent = false;           // it has written nothing for timeouts.stall
    bool is_member = true;            // false: it is absent, or placed for the next start of all tasks
    bool is_requested = false;        // it is absent, and a container is requested for it
    bool may_leave = false;           // its deadline to be placed is short; then the job continues without it
    struct Warning {
      Cause cause = Cause::preempted;
      Instant deadline{};
    };
    std::optional<Warning> warning;   // the cluster will take its container away
    std::optional<Instant> saved_at;  // by any of its attempts
    bool has_container = false;       // it waits, but a container is allocated, in which its agent prepares it
    bool is_first = false;            // it is the first of its role, which writes checkpoints for the others
    std::optional<Instant> saved_as_first;
    // For its next attempt:
    bool backs_off = false;   // the machine asks for it only when its deadline passes
    std::optional<int> held;  // the earlier attempt whose container is kept for it
    struct Offered {
      int attempt = 0;
      Place place;
    };
    std::optional<Offered> offered;         // the container that its Ask offered, until it is placed
    std::vector<std::uint16_t> same_ports;  // it must have these ports, in the container of the attempt before it
    std::set<std::string> not_on;           // nodes on which its last attempt failed
    int failures_in_a_row = 0;
    Millis backoff{0};  // the pause before its retry, once this attempt has ended

    [[nodiscard]] bool is_asked_for() const { return is_requested || (state == TaskState::waiting && !backs_off); }
  };
  // An attempt that ended without success, until the machine has decided what follows.
  struct Ended {
    std::size_t task = 0;
    Cause cause = Cause::none;
    std::string sentence;
    bool keeps_container = false;
  };

  // One for each event of types.hpp.
  void on(const Begin&);
  void on(const Granted& event);
  void on(const Reached& event);
  void on(const Placed& event);
  void on(const NotPlacedYet& event);
  void on(const CannotPlace& event);
  void on(const Started& event);
  void on(const StartFailed& event);
  void on(const Saving& event);
  void on(const Exited& event);
  void on(const Lost& event);
  void on(const HostFailed& event);
  void on(const NoHostLeft& event);
  void on(const Saved& event);
  void on(const FellSilent& event);
  void on(const WritesAgain& event);
  void on(const Warned& event);
  void on(const WarningOver& event);
  void on(const Broken& event);
  void on(const RendezvousFailed& event);
  void on(const StopRequested& event);
  void on(const Noted& event);
  void on(const TookOver& event);
  void on(const Delayed&);
  void on(const Tick&);

  // Start.
  void place_all();
  void ask(Task& task);
  void launch(Task& task);
  void launch_all();
  void check_all_running();
  void allocation_timed_out();
  void start_timed_out(Task& task);
  void only_reported(Task& task, std::string_view why);
  void retry_not_placed(Task& task);

  // Failure and retry (machine_failure.cpp).
  enum class Container { lives, gone };
  void task_failed(Task& task, Cause cause, std::string sentence, Container container);
  [[nodiscard]] Ended note_failure(Task& task, Cause cause, std::string sentence, Container container);
  void address_lost(Task& task, const Lost& event);
  [[nodiscard]] bool waits_for_peers(const Task& task) const;
  void settle();
  [[nodiscard]] bool is_error_of_the_job(const Task& task) const;
  [[nodiscard]] int unused_retries(const Task& task) const;
  void fail_fast(const Task& task);
  void decide(const Ended& ended);
  void act_on(Task& task, const Verdict& verdict, const Ended& ended);
  [[nodiscard]] static int exit_code_of(const Task& task);
  void after_stop(Task& task);
  void retry_task(Task& task, Millis backoff);
  void restart_all(std::string why, Millis backoff);
  void check_restart();

  // Hosts and containers (machine_hosts.cpp).
  void blame_host(const std::string& node, Cause cause, std::string what);
  void forgive_hosts();
  bool relax_hosts(std::string_view for_whom);
  [[nodiscard]] std::string avoided_hosts_clause() const;
  [[nodiscard]] bool may_stay(const Task& task) const;
  void keep_or_release(Task& task);
  void release_held(Task& task);

  // Tasks that hang, and tasks that will lose their containers (machine_watch.cpp).
  [[nodiscard]] bool hangs(const Task& task) const;
  void end_hung(Task& task);
  void forget_warning(Task& task);
  void warn(const Task& task, const Task& about);
  [[nodiscard]] bool starts_again_with(const Task& task, const Task& other) const;
  [[nodiscard]] bool is_warned(const Task& task) const;
  [[nodiscard]] std::string describe_last_save(const Task& task) const;

  // Elastic roles (machine_elastic.cpp).
  [[nodiscard]] bool starts_alone(const Task& task) const { return role_of(task).restart == RestartUnit::task; }
  [[nodiscard]] bool can_go_without(const Task& task) const;
  [[nodiscard]] bool has_enough(std::size_t role) const;
  [[nodiscard]] bool enough_are_placed() const;
  [[nodiscard]] int members() const;
  void join(Task& task);
  void leave(Task& task, std::string why);
  void give_back(Task& task, std::string why);
  void check_placed();
  void no_more_allocated();
  void settle_members();
  void note_first();
  void request_all_again();
  void set_place_deadline(Task& task);
  bool goes_on_without(Task& task);

  // How gangs grow (machine_growth.cpp).
  [[nodiscard]] bool is_spare(const Task& task) const;
  [[nodiscard]] int spare_tasks() const;
  void begin_waiting_to_grow();
  void growth_deadline_passed();
  void saved_while_running(const Task& task);
  void ask_for_more();
  void spare_task_placed(Task& task);
  void spare_task_lost(Task& task, std::string why);
  void check_asking();
  void await_save();
  void give_up_growth(std::string_view why);
  void keep_placed_spares();
  void take_spares_in();
  void end_growth();

  // After the loss of a master (machine_takeover.cpp).
  void adopt(Task& task);
  void ask_again(Task& task);
  void stop_again(Task& task);
  void renew_deadlines();
  void call_off_warnings();

  // End (machine_end.cpp).
  void decider_done();
  void begin_finishing();
  void begin_stopping(Outcome outcome, std::string sentence, std::optional<Millis> grace = std::nullopt);
  enum class Stacks { ignored, written };
  void stop_task(Task& task, std::string why, Millis grace, Stacks stacks = Stacks::ignored);
  void stopped_before_it_ran(Task& task, std::string why);
  void stop_timed_out(Task& task);
  void check_finished();
  void rendezvous_failed();
  [[nodiscard]] std::string describe_deciders() const;  // "all 2 workers", "the chief and all 2 workers"

  // How long an agent may need, after the grace, to confirm that a task has stopped.
  static constexpr Millis kStopConfirmation = core::Seconds(15);
  // If the rendezvous failed because a task ended, another agent reports that end. An agent that lost its master looks
  // for the new one every 5 s, so 10 s are enough for the report to arrive.
  static constexpr Millis kCausesMoment = core::Seconds(10);

  [[nodiscard]] Task* current(const AttemptId& attempt);
  [[nodiscard]] AttemptId id_of(const Task& task) const { return {task.id, task.attempt}; }
  [[nodiscard]] const RolePlan& role_of(const Task& task) const { return plan_.roles[task.role]; }
  [[nodiscard]] int count(TaskState state) const { return by_state_.at(static_cast<std::size_t>(state)); }
  [[nodiscard]] int not_ended() const;
  [[nodiscard]] double random();  // from 0 to 1
  [[nodiscard]] Millis random_backoff();
  [[nodiscard]] Millis backoff_after(int failures);
  void set_state(Task& task, TaskState state, std::string reason = {});
  void set_deadline(Task& task, std::optional<Instant> deadline);
  void emit(Action action) { actions_.push_back(std::move(action)); }
  void record(RecordKind kind, std::string text);
  void record(RecordKind kind, Task& task, std::string text, std::optional<ExitStatus> exit = std::nullopt);
  void record_end(RecordKind kind, const Task& task, std::string text);  // with its exit and its cause

  const Plan plan_;
  RestartPolicy policy_;
  AvoidedHosts avoided_;
  EarlyErrors early_errors_;
  std::vector<Task> tasks_;
  std::unordered_map<TaskId, std::size_t> index_;
  std::array<int, 10> by_state_{};
  std::vector<int> started_of_role_;  // tasks that are starting, running or stopping
  std::vector<int> members_of_role_;
  int deciders_left_ = 0;  // members of decider roles that have not succeeded yet

  JobState state_ = JobState::placing;
  int job_attempt_ = 1;
  int allocation_round_ = 1;
  std::optional<Outcome> outcome_;  // once it is decided; the job ends when every task has ended
  bool ends_now_ = false;           // a user asked for a stop without grace, so the job does not wait for results
  std::optional<Instant> allocation_deadline_;
  std::optional<Instant> backoff_deadline_;
  std::optional<Instant> run_deadline_;
  std::optional<Instant> evaluator_deadline_;
  std::optional<Instant> settle_deadline_;
  std::optional<Instant> rendezvous_deadline_;  // when a failure of the rendezvous ends the job
  std::string rendezvous_failure_;
  std::optional<Ended> settling_;  // a failure; its peers have a moment to show their errors before the job acts on it
  int restarts_in_a_row_ = 0;
  bool is_elastic_ = false;   // at least one role is elastic
  bool has_started_ = false;  // all tasks have been placed at least once
  bool has_saved_ = false;    // a checkpoint was saved since all tasks run
  enum class Growth {
    none,
    waiting,  // until the job has run for grow_every
    due,      // waiting for the first saved checkpoint
    asking,   // containers are requested for the absent tasks of gangs
    ready,    // some of them are placed: all tasks restart after the next save
  };
  Growth growth_ = Growth::none;
  std::optional<Instant> growth_deadline_;   // for `waiting` and `ready`
  std::optional<Instant> no_more_deadline_;  // until then the job waits for more containers
  int warnings_ = 0;                         // tasks that were warned
  Millis restart_backoff_{0};
  std::set<std::pair<Instant, std::size_t>> task_deadlines_;
  std::uint64_t random_;

  Instant now_{};
  std::vector<Action> actions_;
};

}  // namespace ydl::job
