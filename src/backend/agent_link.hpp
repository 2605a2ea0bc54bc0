#pragma once

#include "backend/report_translation.hpp"
#include "protocol/hub.hpp"

#include <memory>
#include <set>
#include <string>

namespace ydl::backend {

// The connection to an agent that serves any number of attempts of a job. It sends the master's commands to the agent
// and passes its reports to the master. A backend has one for each host, and starts the agent there itself.
//
// Life cycle: construct, expect() before the agent starts, lost() when it has ended, close(). Single-threaded.
class AgentLink : public std::enable_shared_from_this<AgentLink> {
 public:
  AgentLink(protocol::Hub& hub, core::AgentId id, AgentHost host, Sink sink)
      : hub_(hub), id_(std::move(id)), host_(std::move(host)), sink_(std::move(sink)) {}

  void expect();

  void prepare(protocol::Prepare request);
  void launch(protocol::Launch request);
  void stop(protocol::Stop request) { hub_.send(id_, std::move(request)); }
  void release(const core::AttemptId& attempt);
  void pass(protocol::Notice notice);

  // The agent has ended, and all its attempts with it. Attempts that were not placed cannot be placed, because this is
  // the only host.
  void lost(const std::string& reason);
  // Sends no events from now on.
  void close() { closed_ = true; }

  // When the agent last called.
  [[nodiscard]] core::Instant last_heard() const { return hub_.last_heard(id_); }
  // Since when the oldest command waits that the agent has not taken; nullopt if it has taken all.
  [[nodiscard]] std::optional<core::Instant> unconfirmed_since() const { return hub_.unconfirmed_since(id_); }
  [[nodiscard]] const AgentHost& host() const { return host_; }
  [[nodiscard]] const core::AgentId& id() const { return id_; }
  // Passes on an event of the backend itself.
  void tell_job(job::Event event) const;

 private:
  void on_report(const protocol::Report& report);

  protocol::Hub& hub_;
  core::AgentId id_;
  AgentHost host_;
  Sink sink_;
  std::set<core::AttemptId> attempts_;   // requested, and neither ended nor released
  std::set<core::AttemptId> placed_;     // those that were reported as placed
  std::set<core::AttemptId> launched_;   // those that may be running
  std::set<core::AttemptId> releasing_;  // the agent is ending their processes
  std::set<core::AttemptId> in_place_;   // those that need the ports of the attempt before them
  bool closed_ = false;
};

}  // namespace ydl::backend
