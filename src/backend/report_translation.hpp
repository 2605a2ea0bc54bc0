#pragma once

#include "backend/backend.hpp"
#include "job/types.hpp"
#include "protocol/commands.hpp"
#include "protocol/reports.hpp"

#include <optional>
#include <string>
#include <vector>

// What agents report, as events of the job: the one translation for every backend that has agents. Pure.
namespace ydl::backend {

// The host that an agent runs on.
struct AgentHost {
  std::string address;         // that the task's peers can connect to
  std::string name;            // for people
  std::string container = {};  // as in job::Place
};

struct Translation {
  // What a report means for the attempt's place on its host.
  enum class Attempt {
    goes_on,
    prepared,      // it has its host and its ports
    not_prepared,  // it cannot run there: `reason`. Whether another host is tried is the backend's decision
    over,          // its process has ended or never began
  };
  Attempt attempt = Attempt::goes_on;
  std::optional<job::Event> event = std::nullopt;
  std::vector<std::string> notes = {};  // sentences for the user, to be passed on before the event
  std::optional<protocol::TaskOutput> output = std::nullopt;
  std::string reason = {};              // of not_prepared
  job::Cause cause = job::Cause::none;  // of not_prepared
  bool on_every_host = false;           // of not_prepared: it would be the same on any other host
};

[[nodiscard]] core::AttemptId attempt_of(const protocol::Report& report);

[[nodiscard]] Translation translate(const protocol::Report& report, const AgentHost& host);

// Passes on all that the translation says for the job and its user.
void tell(const Sink& sink, Translation translation);

// Why the attempts of an agent that has not called for so long are lost.
[[nodiscard]] std::string silence_reason(const std::string& host, core::Millis silence);

}  // namespace ydl::backend
