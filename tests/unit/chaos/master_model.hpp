#pragma once

#include "agent_model.hpp"
#include "audit.hpp"
#include "backend/yarn/yarn_machine.hpp"
#include "job/machine.hpp"
#include "master/journal_writer_fsm.hpp"
#include "models.hpp"
#include "protocol/numbered_queue.hpp"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ydl::chaos {

// A master's side of its agents, as protocol::Hub has it.
struct HubModel {
  struct Session {
    protocol::Outbox<protocol::Command> outbox;
    protocol::Inbox inbox;
    std::set<core::AttemptId> attempts;
    Instant last_heard{};
    std::weak_ptr<AgentModel> agent;  // whose call is open
    int call = 0;
  };
  std::map<yarn::ContainerId, Session> sessions;
  bool is_taking_over = false;
  bool is_suspended = false;
};

// What a job looks like to people: two machines that were told the same look the same.
[[nodiscard]] std::string picture(const job::Machine& machine);

// A master's process: job::Machine, backend::YarnMachine and master::JournalWriterFsm are the real ones, and driven as
// src/master/master.cpp, src/master/yarn_process.cpp, src/backend/yarn/yarn_backend.cpp and src/master/job_journal.cpp
// do. It can be killed between any two actions.
class MasterModel : public std::enable_shared_from_this<MasterModel> {
 public:
  MasterModel(World& world, int attempt, std::string host);

  void start();
  void kill(const std::string& why);
  void stop_job() { post(job::StopRequested{"ann", std::nullopt}); }
  [[nodiscard]] bool is_alive() const { return alive_; }
  [[nodiscard]] bool is_serving() const { return alive_ && yarn_ != nullptr; }
  [[nodiscard]] const std::string& host() const { return host_; }
  bool is_orphan = false;  // its NodeManager has forgotten it

  // ---- calls of agents
  [[nodiscard]] Answer hello(const yarn::ContainerId& id, const protocol::Hello& hello);
  void exchange(const std::shared_ptr<AgentModel>& agent, int call, const Exchange& body);
  void answer_now(const yarn::ContainerId& id);

 private:
  struct Decided {
    std::uint64_t after = 0;
    std::vector<job::Action> actions;
    bool starts_all = false;
    bool takes_over = false;
  };

  // ---- the start and the journal (master_start.cpp)
  void claim_epoch();
  void recover_files();
  void open(const std::vector<std::size_t>& earlier);
  void check_replay(std::size_t count);
  void write_journal();
  void journal_failed();
  void reopen_journal();
  void tell_journal_news();
  void publish(int looks);
  void watch_for_another();
  void register_master();
  void exit(const std::string& why);
  void end_at_once(const job::Outcome& outcome);
  void close(const job::Outcome& outcome);
  void finish(int tries);

  // ---- the job
  void post(job::Event event);
  void handle_posted();
  void handle(const job::Event& event);
  void check_end(const job::Event& event);
  [[nodiscard]] std::vector<job::Action> ask_machine(const job::Event& event, Instant at);
  void carry_out_written();
  void carry_out(Decided decided);
  void on(const job::Ask& ask);
  void on(const job::Adopt& adopt);
  void on(const job::AvoidHost& avoid);
  void on(const job::ForgiveHost& forgive);
  void on(const job::Launch& launch);
  void on(const job::Stop& stop);
  void on(const job::Release& release);
  void on(const job::Finish& finish);
  void on(const auto& /*other*/) {}
  void launch_pending();
  void launch_pending_soon();
  void replaced(const std::string& why);
  void arm_timer();
  [[nodiscard]] backend::TaskRequest request_for(const core::AttemptId& attempt) const;
  [[nodiscard]] bool dies_here();

  // ---- the backend
  void carry_out(backend::YarnActions actions);
  void arm_backend();
  void tick_backend();
  void on(const backend::RegisterMaster& action);
  void on(const backend::Allocate& action);
  void on(const backend::StartContainers& action);
  void on(const backend::StopContainer& action);
  void on(const backend::LookAtContainer& action);
  void on(const backend::SaveLogs& action);
  void on(const backend::RevokeAgent& action);
  void on(const backend::ExpectAgent& action);
  void on(const backend::SendToAgent& action);
  void on(const backend::ForgetAgent& action);
  void on(const backend::TellJob& action);
  void on(const backend::GiveUpJob& action) { replaced(action.why); }
  void on(const backend::TellUser& action);
  [[nodiscard]] std::optional<Answer> refusal(const yarn::ContainerId& id);
  void respond(HubModel::Session& session, Answer answer);
  void answer_with_commands(HubModel::Session& session);

  template <class What>
  void later(Millis delay, What what) {
    world_.sim.after(
        delay,
        [self = shared_from_this(), what = std::move(what)] {
          if (self->alive_) what();
        },
        this);
  }
  template <class Result, class Act, class Done>
  void call_resource_manager(Act act, Done done);

  World& world_;
  int attempt_;
  std::string host_;
  bool alive_ = true;

  // The journal.
  int epoch_ = 0;
  int writer_ = 0;
  std::optional<master::JournalWriterFsm> journal_;
  bool writing_ = false;
  bool later_master_ = false;
  bool asks_for_later_master_ = false;
  Instant hdfs_heard_{};
  Instant resource_manager_heard_{};

  // The job.
  std::unique_ptr<job::Machine> machine_;
  std::optional<Audit> audit_;
  std::vector<std::size_t> told_;  // all events, with those of earlier masters
  std::deque<job::Event> events_;
  bool handling_ = false;
  std::deque<Decided> waiting_;
  std::uint64_t stored_ = 0;
  std::uint64_t written_ = 0;
  bool is_behind_ = false;
  bool takes_over_ = false;
  bool replaced_ = false;
  bool begun_ = false;
  std::optional<job::Outcome> outcome_;
  std::vector<core::AttemptId> pending_;
  bool launch_armed_ = false;
  std::optional<Instant> armed_;
  int timer_ = 0;

  // The backend.
  std::unique_ptr<backend::YarnMachine> yarn_;
  HubModel hub_;
  std::set<std::string> avoided_;  // hosts, that the backend was told
  std::deque<backend::YarnAction> to_do_;
  bool carrying_out_ = false;
  bool closed_ = false;
  bool opened_ = false;
  std::optional<Instant> backend_armed_;
  int backend_timer_ = 0;
};

}  // namespace ydl::chaos
