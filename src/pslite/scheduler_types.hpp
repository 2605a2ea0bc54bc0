#pragma once

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "pslite/meta.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

// The events, actions and notices (messages to the master) of the scheduler's state machine, as plain structs.
namespace ydl::pslite {

using core::Instant;
using core::Millis;
using core::TaskId;

struct FsmOptions {
  int workers = 1;
  int servers = 1;
  // The scheduler's own address. Nodes reconnect to the address in the node list, so it must be exactly the one with
  // which they were started.
  std::string host = {};
  std::uint16_t port = 0;

  Millis registration_timeout = core::Seconds(600);  // since Begin; 0: no limit
  Millis newcomer_wait = core::Seconds(30);          // how long a new node waits until another one is reported as ended
  Millis heartbeat_timeout = core::Seconds(60);      // only for nodes that send heartbeats; 0: no limit
  Millis stall_after = core::Seconds(60);            // a barrier that waits longer is reported once; 0: never
};

// Identifies an accepted connection. Never reused.
enum class LinkId : std::uint64_t {};

// What happens to an ended task.
enum class Outlook {
  unknown,   // not decided yet: barriers wait for it
  restarts,  // it will be restarted and take over its record: barriers wait for it
  gone,      // it failed permanently: a barrier that needs it can never be passed
  left,      // it succeeded: the same, except that the last barrier does not need it
};

// ---- events -----------------------------------------------------------------------------------------------------
// The tasks were started; the time limit for registration starts.
struct Begin {
  std::string host = {};                      // FsmOptions::host, if it was not known before
  std::optional<int> workers = std::nullopt;  // FsmOptions::workers, if the number has changed
};
// A task will register from this address. Port 0 means any port of the host. Repeated for each new attempt.
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
  std::string address = {};  // the source address; empty if unknown
  bool vouched = false;      // an agent of this job has called from this address
};
struct LinkClosed {
  LinkId link;
};
struct Received {
  LinkId link;
  Meta meta;
};
// All attempts to connect to a node have failed.
struct Unreachable {
  NodeId node;
  std::string why;
};
struct Tick {};
using Event = std::variant<Begin, Expect, NodeExited, LinkOpened, LinkClosed, Received, Unreachable, Tick>;

// ---- notices ----------------------------------------------------------------------------------------------------
struct Member {
  Role role = Role::worker;
  std::optional<TaskId> task = std::nullopt;  // if the address identifies it
  std::optional<int> rank = std::nullopt;     // known after all nodes have registered, or from the task
  std::string host = {};
  std::uint16_t port = 0;
  bool operator==(const Member&) const = default;
};

enum class Failure {
  registration_timeout,   // not all nodes registered in time
  registration_hopeless,  // a task ended permanently before it registered, and others are waiting for it
  barrier_broken,         // nodes wait for one that will never arrive
  unreachable,            // the scheduler cannot connect to the address of a node
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
// A task ended without registering: it has no kvstore or a local one.
struct NeverRegistered {
  TaskId task;
  std::string sentence;
};
// An unexpected node was refused. The master must stop it, because it would wait forever.
struct Refused {
  Member member;
  std::string sentence;
};
// A registration from an address where the job has no task of this role; reported once per address.
struct UnknownPeerRefused {
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
                            UnknownPeerRefused, Note, Finished, Failed>;

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
