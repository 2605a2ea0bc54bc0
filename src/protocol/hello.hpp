#pragma once

#include "core/ids.hpp"
#include "core/result.hpp"
#include "protocol/epoch.hpp"

#include <string>
#include <vector>

#include <boost/describe/class.hpp>
#include <boost/json/fwd.hpp>

// The messages between agents and their master, as JSON over the master's HTTP server:
//
//   agent -> master   POST /v1/agents/ID/hello      Hello, answered with a Welcome
//   agent -> master   POST /v1/agents/ID/exchange?after=N&wait=MS     {"epoch":E,"first":N,"reports":[...]}
//                     answered with what command_list.hpp encodes: {"epoch":E,"commands":[{"seq":N+1,...},...],...}
//
// The master answers when there is a command, when the agent's next call arrives, or after MS milliseconds. An empty
// list of reports is a heartbeat. The items of both lists are numbered, and each side keeps an item until the other
// side has confirmed its number. So no item is lost with a connection, and a repeated request has no effect. The
// numbers belong to the epoch of a master: epoch.hpp, agent_session.hpp.
namespace ydl::protocol {

inline constexpr int kProtocolVersion = 9;

struct Hello {
  int protocol = kProtocolVersion;
  std::string version;  // of ydl
  std::string node;
  int pid = 0;
  // The attempts that it holds, from Prepare to Release. Empty in its first Hello.
  std::vector<core::AttemptId> holds = {};
};
BOOST_DESCRIBE_STRUCT(Hello, (), (protocol, version, node, pid, holds))

// The answer to a Hello.
struct Welcome {
  Epoch epoch;
};

[[nodiscard]] boost::json::object to_json(const Hello& hello);
[[nodiscard]] boost::json::object to_json(const Welcome& welcome);
[[nodiscard]] core::Result<Hello> hello_from_json(const boost::json::object& object);
[[nodiscard]] core::Result<Welcome> welcome_from_json(const boost::json::object& object);

}  // namespace ydl::protocol
