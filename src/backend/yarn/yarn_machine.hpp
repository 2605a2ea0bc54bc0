#pragma once

#include "backend/backend.hpp"
#include "backend/report_translation.hpp"
#include "backend/yarn/container_end.hpp"
#include "backend/yarn/container_table.hpp"
#include "backend/yarn/yarn_actions.hpp"
#include "backend/yarn/yarn_job.hpp"
#include "protocol/hello.hpp"
#include "yarn/allocator_fsm.hpp"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ydl::backend {

// A role of the job as it is requested from the ResourceManager.
struct YarnRole {
  std::string name;
  yarn::Resource resource;
  std::string label = {};
  std::vector<std::string> hosts = {};  // as in yarn::RoleAsk
  std::vector<std::string> racks = {};
  yarn::Arrangement arrangement = yarn::Arrangement::spread;
};

struct YarnMachineOptions {
  std::vector<YarnRole> roles;
  std::optional<yarn::ImageRuntime> image = std::nullopt;  // the image in which NodeManagers run the agents
  std::string master = {};                         // "10.0.0.1:4711", the address at which agents reach this master
  core::Millis agent_silence = core::Seconds(60);  // an agent that has not called for this long is lost
  core::Millis lease = core::Seconds(60);          // a revoked agent that hears no master ends within this time
  core::Millis blind = std::chrono::minutes(5);    // how long agents may obey a master that was replaced
  bool can_be_replaced = false;                    // another master may take over the job
  bool replaces_another = false;                   // this one has taken over, and adopts containers until adopted_all()
  core::Millis preemption_wait = core::Seconds(15);  // from a warning to the loss of the container
};

// The decisions of a job on YARN: which containers to request, which attempt gets which, what the end of a container
// means, which hosts to avoid, and which agents are silent. It is pure: each function takes an event and returns the
// actions to carry out, in order; time is an argument.
//
//   attempt:    waiting ──granted──> starting ──prepared──> placed ──launch──> launched ──> idle ──release──> ended
//                  ^                  │   ^                                                  │
//                  └──────────────────┘   └───────────────── the next attempt ───────────────┘
//      its container or its agent failed: at most twice, not counting those that the cluster took away
//
// There is at most one call to the ResourceManager at a time: tick() requests it, and one of the four functions after
// tick() takes its answer. Agents and containers are watched meanwhile.
class YarnMachine {
 public:
  using LastHeard = std::function<core::Instant(const yarn::ContainerId&)>;

  YarnMachine(YarnJob job, YarnMachineOptions options);

  // ---- the job (the verbs of backend.hpp)
  [[nodiscard]] YarnActions place(const TaskRequest& request, core::Instant now);
  [[nodiscard]] YarnActions launch(protocol::Launch request, core::Instant now);
  [[nodiscard]] YarnActions stop(protocol::Stop request, core::Instant now);
  [[nodiscard]] YarnActions pass(protocol::Notice notice);
  [[nodiscard]] YarnActions release(const core::AttemptId& attempt, core::Instant now);
  [[nodiscard]] YarnActions adopt(const TaskRequest& request, const job::Adopt& adopted, core::Instant now);
  [[nodiscard]] YarnActions adopted_all(core::Instant now);
  void avoid(const std::string& host);
  void forgive(const std::string& host);
  // The job has ended: no more events are sent and no containers requested.
  void close() { closed_ = true; }

  // ---- time: call tick() at next_deadline() or before
  [[nodiscard]] YarnActions tick(const LastHeard& last_heard, core::Instant now);
  [[nodiscard]] core::Instant next_deadline(core::Instant now) const;
  void set_progress(double progress) { allocator_.set_progress(static_cast<float>(progress)); }

  // ---- the ResourceManager's answers
  [[nodiscard]] YarnActions registered(const yarn::Registration& registration, core::Instant now);
  [[nodiscard]] YarnActions registration_failed(const core::Error& error, core::Instant now);
  [[nodiscard]] YarnActions allocated(const yarn::AllocateResponse& response, core::Instant now);
  [[nodiscard]] YarnActions allocate_failed(const core::Error& error, core::Instant now);

  // ---- NodeManagers and their logs
  enum class Found { running, complete, unknown, no_answer };
  [[nodiscard]] YarnActions container_looked_at(const yarn::ContainerId& id, Found found, core::Instant now);
  void node_found(const std::string& host, std::string address) { addresses_[host] = std::move(address); }
  [[nodiscard]] YarnActions not_started(const yarn::ContainerId& id, const core::Error& error, core::Instant now);
  [[nodiscard]] YarnActions logs_saved(const yarn::ContainerId& id, const core::Result<>& saved, core::Instant now);

  // ---- HDFS
  [[nodiscard]] YarnActions revoked(const yarn::ContainerId& id, const core::Result<>& written, core::Instant now);

  // ---- agents
  [[nodiscard]] YarnActions agent_called(const yarn::ContainerId& id, const protocol::Hello& hello, core::Instant now);
  [[nodiscard]] YarnActions reported(const yarn::ContainerId& id, const protocol::Report& report, core::Instant now);

  // The numeric address of a host; nullptr if node_found() was not called for it.
  [[nodiscard]] const std::string* address_of(const std::string& host) const;
  [[nodiscard]] bool is_registered() const;
  // Whether the end of the job must still be reported to the ResourceManager.
  [[nodiscard]] bool has_to_finish() const { return was_registered_ && !is_over(); }
  [[nodiscard]] int logs_being_saved() const { return static_cast<int>(saving_.size()); }

 private:
  // yarn_machine.cpp
  [[nodiscard]] YarnActions take() { return std::exchange(actions_, {}); }
  [[nodiscard]] bool is_over() const { return allocator_.state() == yarn::AllocatorFsm::State::over; }
  [[nodiscard]] bool take_over(const TaskRequest& request, core::Instant now);
  void give_back(const core::AttemptId& attempt, core::Instant now);
  void want_another(const core::AttemptId& attempt, int more, core::Instant now);
  void update(const yarn::AllocationUpdate& update, core::Instant now);
  void assign(const std::vector<yarn::Container>& granted, core::Instant now);
  void master_ended(const core::Error& why);
  void tell_job(job::Event event);
  void tell_user(std::string text);
  [[nodiscard]] const YarnRole* role_of(const yarn::AskKey& key) const;
  [[nodiscard]] const YarnRole& role_named(const std::string& name) const;
  [[nodiscard]] yarn::AskKey key_of(const std::string& role) const;

  // yarn_machine_containers.cpp
  void start_failed(const yarn::ContainerId& id, const core::Error& error, core::Instant now);
  void completed(const yarn::ContainerStatus& status, core::Instant now);
  void save_logs(AssignedContainer& assigned, ContainerEnd end);
  void not_prepared(AssignedContainer& assigned, const Translation& translation, core::Instant now);
  void end_container(const AssignedContainer& assigned);
  void container_ended(const yarn::ContainerId& id, const ContainerEnd& end, core::Instant now);
  void end_silent_containers(const LastHeard& last_heard, core::Instant now);
  void end_hanging_containers(core::Instant now);
  void report_waiting_attempts(core::Instant now);
  void report_slow_starts(core::Instant now);

  // yarn_machine_confirm.cpp
  void await_end(AssignedContainer& assigned, UnconfirmedEnd unconfirmed, core::Instant now);
  void confirm_end(const yarn::ContainerId& id, core::Instant now);
  void watch_unconfirmed(const LastHeard& last_heard, core::Instant now);
  void tell_of_unconfirmed(AssignedContainer& assigned, core::Instant now);
  void look_at(AssignedContainer& assigned, core::Instant now);
  void reported_after_loss(const AssignedContainer& assigned, const protocol::Report& report, Translation translation,
                           core::Instant now);
  void take_hello(AssignedContainer& assigned, const protocol::Hello& hello, core::Instant now);

  // yarn_machine_warnings.cpp
  void take_warnings(const yarn::AllocationUpdate& update, core::Instant now);
  void warn(const yarn::ContainerId& id, job::Cause cause, core::Millis within, core::Instant now);
  void node_changed(const yarn::NodeReport& node, core::Instant now);
  void end_warnings(core::Instant now);
  void tell_of_warning(const yarn::ContainerId& id, core::Instant now);
  void call_off(const yarn::ContainerId& id);

  // yarn_machine_hosts.cpp
  [[nodiscard]] bool is_left_out(const std::string& role, const std::set<std::string>& not_on,
                                 const std::string& host) const;
  void refuse(const std::string& role, const yarn::Container& container, core::Instant now);
  void leave_out_hosts(core::Instant now);
  void tell_where_no_host_is_left();
  [[nodiscard]] std::vector<yarn::NodeRoom> hosts_for(const YarnRole& role) const;
  [[nodiscard]] std::set<std::string> hosts_that_no_attempt_is_to_get(core::Instant now);
  [[nodiscard]] std::set<std::string> without_the_last_of_a_role(const std::set<std::string>& hosts) const;
  [[nodiscard]] bool are_too_few_left(const YarnRole& role);

  YarnJob job_;
  YarnMachineOptions options_;
  yarn::AllocatorFsm allocator_;
  ContainerTable table_;
  std::map<std::string, std::string> addresses_;      // of hosts
  std::map<yarn::ContainerId, ContainerEnd> saving_;  // ended containers whose logs are being completed
  struct Warning {
    job::Cause cause = job::Cause::preempted;
    core::Instant deadline = {};        // when the container is lost
    std::optional<core::Instant> ends;  // when the warning ends unless it is repeated; nothing: when its node is kept
  };
  std::map<yarn::ContainerId, Warning> warnings_;         // containers that will be taken away
  std::map<yarn::ContainerId, yarn::Container> earlier_;  // containers of an earlier master that are not adopted yet
  int looks_ = 0;                                         // the number of checks of containers in progress
  std::vector<yarn::ContainerStatus> earlier_ends_;       // ends of such containers
  bool adopting_;                                         // until adopted_all()
  std::set<std::string> avoided_;                         // hosts that the job avoids
  std::set<std::string> left_out_;                        // hosts that no waiting attempt may use now
  std::set<std::string> told_no_host_;                    // roles
  std::optional<core::Instant> waiting_since_;            // since when requests for containers are open
  core::Instant next_watch_ = {};
  std::set<core::AttemptId> told_missing_;  // waiting attempts whose reason was reported
  bool calling_ = false;                    // a call to the ResourceManager is in progress
  bool was_registered_ = false;
  bool closed_ = false;
  YarnActions actions_;
};

}  // namespace ydl::backend
