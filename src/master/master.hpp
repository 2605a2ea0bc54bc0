#pragma once

#include "backend/backend.hpp"
#include "job/machine.hpp"
#include "jobs/job_folder.hpp"
#include "jobs/job_view.hpp"
#include "master/decision_gate.hpp"
#include "master/event_store.hpp"
#include "master/journal.hpp"
#include "master/launch_places.hpp"
#include "master/plan.hpp"
#include "master/progress.hpp"
#include "master/rendezvous.hpp"
#include "master/told_log.hpp"
#include "net/asio.hpp"
#include "protocol/hub.hpp"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace ydl::master {

// What a master must know of the place where its job runs.
struct MasterSettings {
  // What happened before the master could write it down.
  struct Step {
    job::RecordKind kind;
    core::WallTime time;
    std::string text;
  };
  std::function<std::unique_ptr<backend::Backend>(backend::Sink)> make_backend;
  std::string address = "127.0.0.1";                               // numeric: where the tasks reach this process
  std::string listen = "127.0.0.1";                                // what its servers listen on
  std::function<std::vector<std::string>()> agent_addresses = {};  // where agents have said hello from; may be empty
  std::string logs = {};  // where people find the tasks' logs; empty: in the job's folder
  // What must be written before it is acted on, where another master may take the job over; else nothing.
  EventStore* store = nullptr;
  std::vector<job::TimedEvent> earlier = {};  // what the masters before this one were told
  core::WallTime began = core::wall_now();    // of the first of them
  std::function<void()> on_adopted = {};      // what they have left is found, as far as it is there
  std::optional<core::Error> unusable = {};   // why what they were told is not known: the job ends with this
  std::vector<Step> steps = {};               // oldest first
};

// Runs one job: feeds the job's state machine with what the backend reports and carries out what it wants. The HTTP
// API (api.hpp) reads from it. Single-threaded; life cycle: construct, run() once.
class Master {
 public:
  Master(const net::asio::any_io_executor& executor, jobs::JobFolder folder, jobs::JobFile job, JobPlan plan,
         const MasterSettings& settings);
  Master(const Master&) = delete;
  Master& operator=(const Master&) = delete;

  // Until the job has ended and everything is released, or another master has the job: then nothing was touched.
  [[nodiscard]] net::awaitable<job::Outcome> run();
  // Ends without touching anything: another master has the job, or will have it.
  void leave(const std::string& why);
  [[nodiscard]] bool has_left() const { return left_; }
  [[nodiscard]] bool can_be_taken_over() const { return store_ != nullptr; }
  // The store has written this many events.
  void events_written(std::uint64_t count);
  // The store does not write now: decisions wait. Or it cannot write, for a reason that does not pass by itself: the
  // job goes on without it until a task has to be launched. (DecisionGate)
  void store_is_away(std::string why);
  void store_is_broken(std::string why);
  void store_caught_up();
  // Whether the cluster's scheduler can be told of the job's end.
  void scheduler_answers();
  void scheduler_is_silent();

  // What the API needs.
  void request_stop(std::string by, std::optional<core::Millis> grace);
  // Ends the job as failed: a part of this process does not work any more.
  void fail(std::string reason);
  // The same after an exception left run(): returns when the job has ended and what can be released is released. A job
  // whose tasks do not end in time is given up.
  [[nodiscard]] net::awaitable<job::Outcome> fail_and_close(std::string reason);
  // Says again to the scheduler of a framework that has one all that it must know: after a restart of this master, when
  // the backend has the job's agents again.
  void tell_scheduler_again();
  // Puts what the user must know among the job's events.
  void note(std::string text, std::optional<core::AttemptId> attempt = std::nullopt);
  [[nodiscard]] std::string job_view() const;
  // The same, at most a second old: many callers share it.
  [[nodiscard]] std::shared_ptr<const std::string> recent_view();
  // The same as view.json: what `ydl status` shows who cannot ask this process. At the job's end it is always written.
  void write_view();
  [[nodiscard]] Journal& journal() { return journal_; }
  // Whether the disk lacks some of what happened.
  [[nodiscard]] bool lacks_records() const { return records_incomplete_; }
  [[nodiscard]] const jobs::JobFolder& folder() const { return folder_; }
  // Where people find the tasks' logs, when that is not the job's folder; empty otherwise.
  [[nodiscard]] const std::string& logs_elsewhere() const { return logs_elsewhere_; }
  [[nodiscard]] bool finished() const { return outcome_.has_value(); }
  // Whether another master would know of the job's end, as far as one could go on with it.
  [[nodiscard]] bool end_is_written() const { return store_ == nullptr || gate_.has_written(ended_after_); }
  [[nodiscard]] const job::Machine& machine() const { return machine_; }

 private:
  void post(job::Event event);
  void handle_posted();
  void handle(const job::Event& event);
  void replay(const std::vector<job::TimedEvent>& earlier);
  void take_over();
  void end_at_once(job::Outcome outcome);
  void adopted_all();
  [[nodiscard]] static job::Outcome left_to_another();
  void carry_out(DecisionGate::Decision decision);
  void carry_out_decided();
  void gate_changed();
  [[nodiscard]] std::string notice() const;
  void carry_out(const job::Action& action);
  void on(const job::Adopt& adopt);
  void on(const job::Ask& ask);
  void on(const job::AvoidHost& host);
  void on(const job::ForgiveHost& host);
  void on(const job::Launch& launch);
  void on(const job::Stop& stop);
  void on(const job::Warn& warn);
  void on(const job::CallOff& call_off);
  void on(const job::Release& release);
  void on(const job::OpenRendezvous&);
  void on(const job::CloseRendezvous&);
  void on(const job::MemberEnded& member);
  void on(const job::Record& record);
  void on(const job::Finish& finish);
  void take_output(protocol::TaskOutput output);
  void add_meter(jobs::TaskView& view, core::Instant now) const;
  void flush_journal();
  void write_state();
  void records_incomplete(const core::Error& why);
  void arm_timer();
  [[nodiscard]] backend::TaskRequest request_for(const core::AttemptId& attempt) const;
  [[nodiscard]] framework::Gang gang() const;
  // A start of all tasks launches them at once; tasks that start again are gathered for a moment.
  void launch_pending();
  void launch_pending_soon();
  [[nodiscard]] net::awaitable<void> launch_after_gathering();
  void launch(const core::AttemptId& attempt);
  void make_gang();
  [[nodiscard]] protocol::Launch launch_of(const core::AttemptId& attempt) const;
  [[nodiscard]] net::awaitable<void> tick();

  net::asio::any_io_executor executor_;
  jobs::JobFolder folder_;
  jobs::JobFile job_;
  JobPlan plan_;
  std::string logs_elsewhere_;
  job::Machine machine_;
  Journal journal_;
  ToldLog told_;
  EventStore* store_;
  DecisionGate gate_;
  LaunchPlaces places_;
  std::set<core::AttemptId> dropped_;  // launches that are not carried out because the job ends
  struct Trouble {
    std::string why;
    core::WallTime since;
  };
  std::optional<Trouble> trouble_;  // of the store
  bool was_held_ = false;           // the gate held everything back
  bool ends_for_store_ = false;
  std::uint64_t ended_after_ = 0;  // the event that ended the job
  core::WallTime began_;           // the job did, on the clock of its first master
  core::Instant began_steady_;     // the same on the clock of this one
  bool takes_over_ = false;
  std::function<void()> on_adopted_;
  std::optional<core::Error> unusable_;
  bool left_ = false;
  bool ready_ = false;  // its backend is; until then no deadline counts
  std::unique_ptr<backend::Backend> backend_;
  std::optional<Rendezvous> rendezvous_;  // where the framework needs one

  std::deque<job::Event> events_;  // told while another was being handled
  bool handling_ = false;
  std::vector<core::AttemptId> pending_;  // to be launched
  std::optional<framework::Gang> gang_;   // of the tasks that are launched together: all of them need the same one
  std::shared_ptr<const protocol::GangFacts> gang_facts_;  // of gang_
  std::shared_ptr<const std::string> gang_text_;           // the same, encoded
  TaskOutputs outputs_;
  TaskMeters meters_;
  std::shared_ptr<const std::string> recent_view_;
  core::Instant recent_view_at_{};
  std::optional<job::Outcome> outcome_;
  std::optional<core::WallTime> finished_at_;
  job::JobState shown_state_ = job::JobState::placing;  // the machine's, as far as what it wanted is done
  std::optional<job::JobState> written_state_;
  bool records_incomplete_ = false;
  std::optional<core::Instant> armed_;
  net::asio::steady_timer timer_;
  net::asio::steady_timer launch_timer_;
  bool launch_armed_ = false;
  net::Signal ended_;
};

// What a user can do about a file of the job that cannot be written: "; make room on that disk", or nothing.
[[nodiscard]] std::string_view remedy_for(const std::error_code& error);

}  // namespace ydl::master
