#pragma once

#include "backend/backend.hpp"
#include "job/types.hpp"
#include "protocol/commands.hpp"
#include "protocol/reports.hpp"

#include <optional>
#include <string>
#include <vector>

// Translates the reports of agents to events of the job, in the same way for all backends with agents. Pure.
namespace ydl::backend {

// The host that an agent runs on.
struct AgentHost {
  std::string address;         // the address that the task's peers connect to
  std::string name;            // as users read it
  std::string container = {};  // as in `job::Place`
};

struct Translation {
  // What a report means for the attempt on this host.
  enum class Attempt {
    goes_on,
    prepared,      // it has its host and its ports
    not_prepared,  // it cannot run there, see `reason`; the backend decides whether to try another host
    over,          // its process has ended, or did not start
  };
  Attempt attempt = Attempt::goes_on;
  std::optional<job::Event> event = std::nullopt;
  std::vector<std::string> notes = {};  // sentences for the user, passed on before the event
  std::optional<protocol::TaskOutput> output = std::nullopt;
  std::string reason = {};              // of not_prepared
  job::Cause cause = job::Cause::none;  // of not_prepared
  bool on_every_host = false;           // of not_prepared: it would fail on every other host too
};

[[nodiscard]] core::AttemptId attempt_of(const protocol::Report& report);

[[nodiscard]] Translation translate(const protocol::Report& report, const AgentHost& host);

// Passes the translation to the job and its user.
void tell(const Sink& sink, Translation translation);

// The reason for the loss of attempts whose agent has not called for this long.
[[nodiscard]] std::string silence_reason(const std::string& host, core::Millis silence);

}  // namespace ydl::backend
