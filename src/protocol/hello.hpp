#pragma once

#include "core/ids.hpp"
#include "core/result.hpp"
#include "protocol/epoch.hpp"

#include <string>
#include <vector>

#include <boost/describe/class.hpp>
#include <boost/json/fwd.hpp>

// What master and agent say to each other, as JSON over the master's HTTP server:
//
//   agent -> master   POST /v1/agents/ID/hello      Hello, answered with a Welcome
//   agent -> master   POST /v1/agents/ID/exchange?after=N&wait=MS     {"epoch":E,"first":N,"reports":[...]}
//                     answered with what command_list.hpp encodes: {"epoch":E,"commands":[{"seq":N+1,...},...],...}
//
// The answer comes when there is a command, when the agent sends its next call on the same connection, or after MS; an
// empty list of reports is a heartbeat. Both lists are numbered and kept until the other side has named a later number,
// so that a lost connection loses nothing and a repeated request repeats nothing. The numbers belong to a master's
// epoch: epoch.hpp, agent_session.hpp.
namespace ydl::protocol {

inline constexpr int kProtocolVersion = 9;

struct Hello {
  int protocol = kProtocolVersion;
  std::string version;  // of ydl
  std::string node;
  int pid = 0;
  // The attempts it has: from their Prepare to their Release. None at its first hello.
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
