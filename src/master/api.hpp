#pragma once

#include "http/router.hpp"
#include "master/master.hpp"
#include "protocol/hub.hpp"

namespace ydl::master {

// The HTTP API, version 1 (docs/http-api.md). Everything under /v1; JSON, but for a log's bytes.
//
//   GET  /v1/job                               the job and its tasks
//   GET  /v1/events?after=N&wait=MS            what happened after event N; as server-sent events where asked for
//   GET  /v1/tasks/{task}/logs?stream=stdout&attempt=N&offset=N&limit=N
//   POST /v1/job/stop                          {"by": who, "grace_ms": N}
//   …    /v1/agents/{id}/…                     the agents' calls: agent/protocol.hpp
//
// Guests (http/gate.hpp) may see everything but the agents' calls, and stop the job where its ACL allows it.
//
// Both references must outlive the server that has the router.
[[nodiscard]] http::Router make_api(Master& master, protocol::Hub& hub);

// The agents' part of it alone.
void add_agent_routes(http::Router& router, protocol::Hub& hub);

}  // namespace ydl::master
