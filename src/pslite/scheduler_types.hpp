#pragma once

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "pslite/meta.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

// What the scheduler's state machine speaks of: what happened (events), what to do (actions) and what the master
// gets to know (notices). Plain values.
namespace ydl::pslite {

using core::Instant;
using core::Millis;
using core::TaskId;

struct FsmOptions {
  int workers = 1;
  int servers = 1;
  // The scheduler's own address as the nodes know it. They connect anew to what the node list says, so it must be
  // the very address they were started with.
  std::string host = {};
  std::uint16_t port = 0;

  Millis registration_timeout = core::Seconds(600);  // from Begin; 0: none
  Millis newcomer_wait = core::Seconds(30);          // for the report of a death that makes room for it
  Millis heartbeat_timeout = core::Seconds(60);      // of nodes that send heartbeats at all; 0: none
  Millis stall_after = core::Seconds(60);            // a barrier that waits longer is told, once; 0: never
};

// One accepted connection. Never reused.
enum class LinkId : std::uint64_t {};

// What becomes of a task that has ended.
enum class Outlook {
  unknown,   // not decided yet: a barrier that needs it waits
  restarts,  // it comes again and takes its old place: a barrier that needs it waits
  gone,      // it failed for good: a barrier that needs it can never be passed
  left,      // it ended with success: the same, but the last barrier does without it
};

// ---- events -----------------------------------------------------------------------------------------------------
// The tasks were started: the time to register runs from here.
struct Begin {
  std::string host = {};                      // FsmOptions::host, where it was not known before
  std::optional<int> workers = std::nullopt;  // FsmOptions::workers, where it is not as many
};
// A task will register from this address. Port 0: from any port of the host. Said again for each new attempt.
struct Expect {
  TaskId task;
  Role role = Role::worker;
  std::string host;
  std::uint16_t port = 0;
};
struct NodeExited {
  TaskId task;
  Outlook outlook = Outlook::unknown;
  std::string how = {};
};
struct LinkOpened {
  LinkId link;
  std::string identity;
  std::string address = {};  // where it comes from; empty: not known
  bool vouched = false;      // an agent of this job has called from there
};
struct LinkClosed {
  LinkId link;
};
struct Received {
  LinkId link;
  Meta meta;
};
// All attempts to connect back to a node have failed.
struct Unreachable {
  NodeId node;
  std::string why;
};
struct Tick {};
using Event = std::variant<Begin, Expect, NodeExited, LinkOpened, LinkClosed, Received, Unreachable, Tick>;

// ---- notices ----------------------------------------------------------------------------------------------------
struct Member {
  Role role = Role::worker;
  std::optional<TaskId> task = std::nullopt;  // where the address told it
  std::optional<int> rank = std::nullopt;     // known when all have registered, or from the task
  std::string host = {};
  std::uint16_t port = 0;
  bool operator==(const Member&) const = default;
};

enum class Failure {
  registration_timeout,   // not all registered in time
  registration_hopeless,  // a task ended for good before it registered, and others wait for it
  barrier_broken,         // nodes wait for one that never comes
  unreachable,            // a node's own address cannot be connected to
};

struct Registered {
  Member member;
  int count = 0;
  int expected = 0;
};
struct AllRegistered {
  std::vector<Member> members;
};
struct Recovered {
  Member member;
};
struct BarrierPassed {
  int group = 0;
  Millis waited{};
};
struct NodeDead {
  Member member;
  std::string why;
};
// A task ended and was never seen here: its kvstore is local, or it has none.
struct NeverRegistered {
  TaskId task;
  std::string sentence;
};
// A node that nobody waited for. It would hang for ever: end it.
struct Refused {
  Member member;
  std::string sentence;
};
// A registration from an address where the job has no task of that role; told once for each address.
struct StrangerRefused {
  std::string sentence;
};
struct Note {
  std::string sentence;
};
struct Finished {};
struct Failed {
  Failure failure;
  std::string sentence;
};
using Notice = std::variant<Registered, AllRegistered, Recovered, BarrierPassed, NodeDead, NeverRegistered, Refused,
                            StrangerRefused, Note, Finished, Failed>;

// ---- actions ----------------------------------------------------------------------------------------------------
struct Dial {
  NodeId node;
  std::string host;
  std::uint16_t port = 0;
};  // connect to a node, for Send
struct HangUp {
  NodeId node;
};  // forget that connection and what waits in it
struct Send {
  NodeId node;
  Meta meta;
};
struct DropLink {
  LinkId link;
};
struct Tell {
  Notice notice;
};
using Action = std::variant<Dial, HangUp, Send, DropLink, Tell>;

}  // namespace ydl::pslite
