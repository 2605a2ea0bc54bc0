#pragma once

#include "http/router.hpp"
#include "master/master.hpp"
#include "protocol/hub.hpp"

namespace ydl::master {

// The HTTP API, version 1 (docs/http-api.md). Everything under /v1; JSON, but for a log's bytes.
//
//   GET  /v1/job                               the job and its tasks
//   GET  /v1/events?after=N&wait=MS            the events after event N; as server-sent events if requested
//   GET  /v1/tasks/{task}/logs?stream=stdout&attempt=N&offset=N&limit=N
//   POST /v1/job/stop                          {"by": "NAME", "grace_ms": N}
//   …    /v1/agents/{id}/…                     the agents' calls: agent/protocol.hpp
//
// Guests (http/gate.hpp) may use all calls except those of agents, but may stop the job only if its ACL permits it.
//
// Both references must outlive the server that has the router.
[[nodiscard]] http::Router make_api(Master& master, protocol::Hub& hub);

// Only the calls of agents.
void add_agent_routes(http::Router& router, protocol::Hub& hub);

}  // namespace ydl::master
