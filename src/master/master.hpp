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

// The settings of a master for the cluster or machine of its job.
struct MasterSettings {
  // A step that happened before the master could record it.
  struct Step {
    job::RecordKind kind;
    core::WallTime time;
    std::string text;
  };
  std::function<std::unique_ptr<backend::Backend>(backend::Sink)> make_backend;
  std::string address = "127.0.0.1";  // the numeric address at which tasks reach this process
  std::string listen = "127.0.0.1";   // the address on which its servers listen
  std::function<std::vector<std::string>()> agent_addresses =
      {};                 // the addresses from which agents have connected; may be null
  std::string logs = {};  // where users find the tasks' logs; empty: in the job's folder
  // Set if another master may take over the job: events are then stored before the master acts on them.
  EventStore* store = nullptr;
  std::vector<job::TimedEvent> earlier = {};  // the events of earlier masters
  core::WallTime began = core::wall_now();    // when the first of them began
  std::function<void()> on_adopted = {};      // called when the tasks of earlier masters are adopted
  std::optional<core::Error> unusable = {};   // why their events cannot be read; the job ends with this error
  std::vector<Step> steps = {};               // oldest first
};

// Runs one job: passes the events of the backend to the job's state machine and carries out the machine's actions. The
// HTTP API (api.hpp) reads from it. Single-threaded; life cycle: construct, run() once.
class Master {
 public:
  Master(const net::asio::any_io_executor& executor, jobs::JobFolder folder, jobs::JobFile job, JobPlan plan,
         const MasterSettings& settings);
  Master(const Master&) = delete;
  Master& operator=(const Master&) = delete;

  // Runs until the job has ended and everything is released, or until another master has the job; then it releases
  // nothing.
  [[nodiscard]] net::awaitable<job::Outcome> run();
  // Ends without releasing anything, because another master has the job or will take it over.
  void leave(const std::string& why);
  [[nodiscard]] bool has_left() const { return left_; }
  [[nodiscard]] bool can_be_taken_over() const { return store_ != nullptr; }
  // The store has stored this many events.
  void events_written(std::uint64_t count);
  // store_is_away: the store cannot write now, so decisions wait. store_is_broken: it cannot write without action by a
  // user; the job continues without it until a task must be launched. See DecisionGate.
  void store_is_away(std::string why);
  void store_is_broken(std::string why);
  void store_caught_up();
  // Whether the end of the job can be reported to the cluster's scheduler.
  void scheduler_answers();
  void scheduler_is_silent();

  // For the API.
  void request_stop(std::string by, std::optional<core::Millis> grace);
  // Fails the job, because a part of this process no longer works.
  void fail(std::string reason);
  // The same after an exception in run(). Returns when the job has ended and its resources are released, or after a
  // timeout if its tasks do not end.
  [[nodiscard]] net::awaitable<job::Outcome> fail_and_close(std::string reason);
  // Repeats to the framework's scheduler, if there is one, the state of all tasks. This is done after a takeover, when
  // the backend has adopted the agents.
  void tell_scheduler_again();
  // Adds a message for the user to the job's events.
  void note(std::string text, std::optional<core::AttemptId> attempt = std::nullopt);
  [[nodiscard]] std::string job_view() const;
  // The same, at most a second old, shared by many callers.
  [[nodiscard]] std::shared_ptr<const std::string> recent_view();
  // Writes the same as view.json, which `ydl status` reads if it cannot call this process. It is always written at the
  // end of the job.
  void write_view();
  [[nodiscard]] Journal& journal() { return journal_; }
  // Whether records are missing on the disk.
  [[nodiscard]] bool lacks_records() const { return records_incomplete_; }
  [[nodiscard]] const jobs::JobFolder& folder() const { return folder_; }
  // Where users find the tasks' logs if they are not in the job's folder; otherwise empty.
  [[nodiscard]] const std::string& logs_elsewhere() const { return logs_elsewhere_; }
  [[nodiscard]] bool finished() const { return outcome_.has_value(); }
  // Whether the end of the job is stored for another master, if there could be one.
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
  // A start of all tasks launches them at once. Tasks that restart alone are collected for a moment.
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
  std::set<core::AttemptId> dropped_;  // launches that were dropped because the job ends
  struct Trouble {
    std::string why;
    core::WallTime since;
  };
  std::optional<Trouble> trouble_;  // of the store
  bool was_held_ = false;           // the gate held all decisions back
  bool ends_for_store_ = false;
  std::uint64_t ended_after_ = 0;  // the event that ended the job
  core::WallTime began_;           // when the job began, on the clock of its first master
  core::Instant began_steady_;     // the same on the clock of this one
  bool takes_over_ = false;
  std::function<void()> on_adopted_;
  std::optional<core::Error> unusable_;
  bool left_ = false;
  bool ready_ = false;  // the backend is ready; before that deadlines do not count
  std::unique_ptr<backend::Backend> backend_;
  std::optional<Rendezvous> rendezvous_;  // if the framework needs one

  std::deque<job::Event> events_;  // events posted while another one is handled
  bool handling_ = false;
  std::vector<core::AttemptId> pending_;                   // to be launched
  std::optional<framework::Gang> gang_;                    // shared by tasks that are launched together
  std::shared_ptr<const protocol::GangFacts> gang_facts_;  // of gang_
  std::shared_ptr<const std::string> gang_text_;           // the same, encoded
  TaskOutputs outputs_;
  TaskMeters meters_;
  std::shared_ptr<const std::string> recent_view_;
  core::Instant recent_view_at_{};
  std::optional<job::Outcome> outcome_;
  std::optional<core::WallTime> finished_at_;
  job::JobState shown_state_ =
      job::JobState::placing;  // the state of the machine, as far as its actions were carried out
  std::optional<job::JobState> written_state_;
  bool records_incomplete_ = false;
  std::optional<core::Instant> armed_;
  net::asio::steady_timer timer_;
  net::asio::steady_timer launch_timer_;
  bool launch_armed_ = false;
  net::Signal ended_;
};

// The remedy for a file of the job that cannot be written: "; free space on that disk", or empty.
[[nodiscard]] std::string_view remedy_for(const std::error_code& error);

}  // namespace ydl::master
