#pragma once

#include "agent/master_lease.hpp"
#include "models.hpp"
#include "protocol/agent_session.hpp"
#include "protocol/commands.hpp"
#include "protocol/hello.hpp"

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace ydl::chaos {

// What a master answers to a call of an agent.
struct Answer {
  enum class Status { ok, unknown_agent, try_again, refused };
  Status status = Status::ok;
  protocol::Epoch epoch = {};
  protocol::Sequence first = 1;  // of the commands
  std::vector<protocol::Command> commands = {};
};
// An agent's exchange.
struct Exchange {
  protocol::Epoch epoch = {};
  protocol::Sequence first = 1;
  std::vector<protocol::Report> reports = {};
  protocol::Sequence after = 0;
};

// An agent in its container, as src/agent/agent.cpp and src/agent/master_calls.cpp drive it: protocol::AgentSession and
// agent::MasterLease are the real ones, tasks and calls are modelled.
class AgentModel : public std::enable_shared_from_this<AgentModel> {
 public:
  AgentModel(World& world, yarn::ContainerId id, std::string host, int master);

  void start();
  // The process ends at once, and its tasks with it.
  void kill(const std::string& why);
  void kill_a_task();
  // It stands still, as after SIGSTOP.
  void hang(Millis time);
  [[nodiscard]] bool is_alive() const { return alive_; }
  [[nodiscard]] const std::string& host() const { return host_; }
  [[nodiscard]] const yarn::ContainerId& id() const { return id_; }

  // The answer to a call, or nothing: it failed.
  void answered(int call, std::optional<Answer> answer);

 private:
  struct Task {
    enum class Phase { preparing, prepared, running, over };
    protocol::Prepare request;
    Phase phase = Phase::preparing;
    bool was_launched = false;
    bool has_process = false;
  };

  // ---- calls
  void say_first_hello();
  void exchange();
  void do_commands(const Answer& answer);
  void failed(const std::string& why);
  void search();
  void look(Millis within);
  void call_successor(const agent::MasterPlace& place, Millis within);
  void obey(protocol::Epoch epoch);
  void obeys(protocol::Epoch epoch);
  void send_hello(int master, Millis within, std::function<void(std::optional<Answer>)> done);
  void leave(const std::string& why);

  // ---- commands
  void on(const protocol::Prepare& command);
  void on(const protocol::Launch& command);
  void on(const protocol::Stop& command);
  void on(const protocol::Release& command);
  void on(const protocol::Shutdown& command);
  void on(const auto& /*other*/) {}
  void run_task(const core::AttemptId& attempt);
  void save_from_time_to_time(const core::AttemptId& attempt);
  void end_process(const core::AttemptId& attempt, job::ExitStatus status);
  void give_up(const core::AttemptId& attempt, Task task);
  void tell(protocol::Report report);
  void push(protocol::Report report);
  void later(Millis delay, void (AgentModel::*what)());
  void in_a_while(Millis delay, std::function<void()> what);
  void with_task(Millis delay, const core::AttemptId& attempt, void (*what)(AgentModel&, Task&));

  World& world_;
  yarn::ContainerId id_;
  std::string host_;
  int master_;  // whose process is called
  bool alive_ = true;
  bool shutting_down_ = false;
  bool leaves_ = false;  // it makes no more calls
  protocol::AgentSession session_;
  agent::MasterLease lease_;
  std::map<core::AttemptId, Task> tasks_;
  std::set<core::AttemptId> going_;
  int last_call_ = 0;
  int open_call_ = 0;  // 0: none
  protocol::Sequence sent_ = 0;
  bool searching_ = false;
  bool calling_successor_ = false;
  std::int64_t highest_epoch_ = 0;
  std::set<std::pair<std::int64_t, protocol::Sequence>> done_;  // commands, by epoch
};

}  // namespace ydl::chaos
