#pragma once

#include "job/types.hpp"
#include "protocol/commands.hpp"
#include "protocol/reports.hpp"
#include "yarn/allocation.hpp"

#include <optional>
#include <string>
#include <variant>
#include <vector>

// The actions of YarnMachine.
namespace ydl::backend {

// ---- to the ResourceManager, one at a time
struct RegisterMaster {};
struct Allocate {
  yarn::AllocateRequest request;
};
// A new token, for all later calls.
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
// Ask whether the container has ended; container_looked_at() takes the answer.
struct LookAtContainer {
  yarn::NodeId node;
  std::optional<hrpc::Token> token;  // nothing: this master has no token and reads the node's web page
  yarn::ContainerId id;
  std::string page;  // "10.0.0.7:8042"
};
// A container was killed before its agent could copy the last lines of its task's logs.
struct SaveLogs {
  yarn::Container container;
  std::string address;  // of its host, numeric
  std::string copies;   // their folder in HDFS
};

// ---- to HDFS
// Write to HDFS that the container's agent must end, for an agent that hears no master; revoked() takes the answer.
struct RevokeAgent {
  yarn::ContainerId id;
};

// ---- to agents: one in each container
struct ExpectAgent {
  yarn::ContainerId id;
  std::optional<core::AttemptId> has = std::nullopt;  // the attempt that an earlier master has given it
  int ports = 0;                                      // the ports that it holds for that attempt
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
// Another master has the job: this one must end without changing anything.
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
