#pragma once

#include "job/types.hpp"
#include "protocol/commands.hpp"
#include "protocol/reports.hpp"
#include "yarn/allocation.hpp"

#include <optional>
#include <string>
#include <variant>
#include <vector>

// What YarnMachine wants done.
namespace ydl::backend {

// ---- to the ResourceManager, one at a time
struct RegisterMaster {};
struct Allocate {
  yarn::AllocateRequest request;
};
// For the calls after this one.
struct UseToken {
  hrpc::Token token;
};

// ---- to NodeManagers
struct StartContainers {
  yarn::NodeId node;
  hrpc::Token token;
  std::vector<yarn::Container> containers;
};
struct StopContainer {
  yarn::NodeId node;
  hrpc::Token token;
  yarn::ContainerId id;
};
// Whether the container has ended; container_looked_at() takes the answer.
struct LookAtContainer {
  yarn::NodeId node;
  std::optional<hrpc::Token> token;  // nothing: this master has none, and asks the node's page
  yarn::ContainerId id;
  std::string page;  // "10.0.0.7:8042"
};
// A container was killed before its agent had copied the last lines of its task's logs.
struct SaveLogs {
  yarn::Container container;
  std::string address;  // of its host, numeric
  std::string copies;   // the folder on HDFS
};

// ---- to HDFS
// Writes that the container's agent has to end, for an agent that hears no master; revoked() takes the answer.
struct RevokeAgent {
  yarn::ContainerId id;
};

// ---- to agents: one in each container
struct ExpectAgent {
  yarn::ContainerId id;
  std::optional<core::AttemptId> has = std::nullopt;  // what an earlier master has given it
  int ports = 0;                                      // that it holds for that
};
struct SendToAgent {
  yarn::ContainerId id;
  protocol::Command command;
};
struct ForgetAgent {
  yarn::ContainerId id;
};

// ---- to the master
struct TellJob {
  job::Event event;
};
// This master is not the job's any more: it has to end, and must not touch anything.
struct GiveUpJob {
  std::string why;
};
struct TellUser {
  std::string text;
};
struct PassOutput {
  protocol::TaskOutput output;
};
struct LogLine {
  std::string text;
};

using YarnAction =
    std::variant<RegisterMaster, Allocate, UseToken, StartContainers, StopContainer, LookAtContainer, SaveLogs,
                 RevokeAgent, ExpectAgent, SendToAgent, ForgetAgent, TellJob, GiveUpJob, TellUser, PassOutput, LogLine>;
using YarnActions = std::vector<YarnAction>;

}  // namespace ydl::backend
