#pragma once

#include "backend/report_translation.hpp"
#include "protocol/hub.hpp"

#include <memory>
#include <set>
#include <string>

namespace ydl::backend {

// An agent that serves any number of attempts of a job: passes on what the master asks of it, and tells the master what
// it reports. A backend has one for each host; finding the host and starting the agent there is left to the backend.
//
// Life cycle: construct, expect() before the agent starts, lost() when it is gone, close(). Single-threaded.
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

  // The agent is gone, and every attempt that it had with it. What was not placed cannot be placed: this is the only
  // host.
  void lost(const std::string& reason);
  // From now on nothing is told.
  void close() { closed_ = true; }

  // Since when the agent has not called.
  [[nodiscard]] core::Instant last_heard() const { return hub_.last_heard(id_); }
  // Since when a command waits that the agent has not taken; nullopt if it has taken all.
  [[nodiscard]] std::optional<core::Instant> unconfirmed_since() const { return hub_.unconfirmed_since(id_); }
  [[nodiscard]] const AgentHost& host() const { return host_; }
  [[nodiscard]] const core::AgentId& id() const { return id_; }
  // An event of the backend's own.
  void tell_job(job::Event event) const;

 private:
  void on_report(const protocol::Report& report);

  protocol::Hub& hub_;
  core::AgentId id_;
  AgentHost host_;
  Sink sink_;
  std::set<core::AttemptId> attempts_;   // asked for, and neither over nor released
  std::set<core::AttemptId> placed_;     // those of them that the job was told to be placed
  std::set<core::AttemptId> launched_;   // those that may run
  std::set<core::AttemptId> releasing_;  // whose processes the agent is ending
  std::set<core::AttemptId> in_place_;   // that need the ports of the attempt before them; until they are released
  bool closed_ = false;
};

}  // namespace ydl::backend
