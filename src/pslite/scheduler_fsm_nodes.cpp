// Registration, end and replacement of nodes.
#include "core/strings.hpp"
#include "pslite/scheduler_fsm.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace ydl::pslite {
namespace {

constexpr std::size_t kMostUnknownPeers = 16;

std::uint16_t port_of(const Node& node) {
  return static_cast<std::uint16_t>(node.port);
}

}  // namespace

// ---- registration ---------------------------------------------------------------------------------------------------

void SchedulerFsm::add_node(LinkId link, const Meta& meta, Instant now) {
  if (const auto wrong = objection_to(*meta.control)) {
    violation(link, *wrong);
    return;
  }
  const Node& node = meta.control->nodes.front();
  const Link& from = links_.at(link);
  if (!from.vouched && !from.address.empty() && !roster_.has_task_at(node.role, from.address)) {
    refuse_unknown_peer(link, from.address, node.role);
    return;
  }
  if (const auto id = links_.at(link).node) {
    // A process that already has its id creates another kvstore. It does not expect an answer.
    NodeRecord* known = roster_.find(*id);
    known->customers.insert(node.customer_id);
    alive(*known);
    if (known->resends) outbox_.acknowledge(*known, meta);
    return;
  }
  join(link, node, now);
}

void SchedulerFsm::refuse_unknown_peer(LinkId link, std::string address, Role role) {
  const auto sentence = fmt::format("a peer that tried to register as {} from {}, where this job has no {}", name(role),
                                    address, name(role));
  if (unknown_peers_.size() < kMostUnknownPeers && unknown_peers_.insert(std::move(address)).second)
    outbox_.tell(UnknownPeerRefused{sentence});
  violation(link, sentence);
}

void SchedulerFsm::join(LinkId link, const Node& node, Instant now) {
  NodeRecord* same = roster_.find(node.role, node.host, port_of(node));
  if (same != nullptr && same->state == NodeState::living) {
    // Another kvstore of a process that has not received its id yet, or a repeated registration.
    same->customers.insert(node.customer_id);
    same->links.insert(link);
    if (roster_.numbered()) outbox_.send_list(*same, roster_);
    return;
  }
  if (state_ == State::registering && roster_.count(node.role) < roster_.wanted(node.role)) {
    register_node(link, node);
    return;
  }
  const Newcomer newcomer{.link = link, .node = node, .deadline = now + options_.newcomer_wait};
  if (is_over()) {
    refuse(newcomer, state_ == State::finished ? "the job has finished" : "the job has failed");
    return;
  }
  if (newcomers_.full()) {
    refuse(newcomer, fmt::format("{} other nodes are already waiting to register", Newcomers::kMost));
    return;
  }
  newcomers_.add(newcomer);
  place_newcomers(now);
}

void SchedulerFsm::register_node(LinkId link, const Node& node) {
  std::optional<TaskId> task;
  if (const auto match = roster_.task_at(node.role, node.host, port_of(node));
      match && roster_.find(match->task) == nullptr) {
    task = match->task;
  }
  const NodeRecord& added = roster_.add(NodeRecord{.role = node.role,
                                                   .host = node.host,
                                                   .port = port_of(node),
                                                   .task = task,
                                                   .customers = {node.customer_id},
                                                   .links = {link}});
  outbox_.tell(Registered{.member = roster_.member(added),
                          .count = static_cast<int>(roster_.nodes().size()),
                          .expected = roster_.wanted()});
  if (roster_.complete()) {
    all_registered();
  } else {
    check_registration();
  }
}

void SchedulerFsm::all_registered() {
  roster_.assign_ids();
  state_ = State::running;
  std::vector<Member> members;
  for (const NodeRecord& node : roster_.nodes()) {
    members.push_back(roster_.member(node));
    outbox_.dial(node);
    outbox_.send_list(node, roster_);
  }
  outbox_.tell(AllRegistered{std::move(members)});
}

// If a task ended permanently without registering, the others would wait in vain, so the job fails immediately and not
// only after the timeout. While no worker has registered, no node is waiting: the script may use only a local kvstore,
// which is fine.
void SchedulerFsm::check_registration() {
  if (state_ != State::registering || roster_.count(Role::worker) == 0) return;
  for (const auto& [id, task] : roster_.tasks()) {
    if (!task.ended || (*task.ended != Outlook::gone && *task.ended != Outlook::left) || roster_.find(id) != nullptr)
      continue;
    fail_job(
        Failure::registration_hopeless,
        fmt::format("{} ended before all nodes had registered{}, so the others would wait for it forever: {}", id.str(),
                    task.how.empty() ? "" : fmt::format(" ({})", task.how), roster_.registration_text()));
    return;
  }
}

// ---- newcomers when all nodes are present
// ----------------------------------------------------------------------------

void SchedulerFsm::place_newcomers(Instant now) {
  const auto has_room = [this](const Newcomer& newcomer) {
    return state_ == State::registering && roster_.count(newcomer.node.role) < roster_.wanted(newcomer.node.role);
  };
  const auto record_of = [this](const Newcomer& newcomer) {
    return state_ == State::running ? roster_.replaceable_record(newcomer.node) : nullptr;
  };
  const auto can_join = [&](const Newcomer& one) { return has_room(one) || record_of(one) != nullptr; };
  while (const auto newcomer = newcomers_.take_first(can_join)) {
    if (has_room(*newcomer)) {
      register_node(newcomer->link, newcomer->node);
      continue;
    }
    NodeRecord* record = record_of(*newcomer);
    if (record->responsive()) died(*record, NodeState::dead, "a new attempt of it registered", now);
    replace(*record, newcomer->link, newcomer->node);
  }
}

// The new node takes over the record of the dead one. It gets the whole list; the living nodes get only its new
// address.
void SchedulerFsm::replace(NodeRecord& record, LinkId link, const Node& node) {
  const auto match = roster_.task_at(node.role, node.host, port_of(node));
  // Until the workers have passed their first own barrier, the other nodes are still in MXNet's start and
  // initialization barriers. A node with the recovery flag would skip them, so the replacement must start like a normal
  // node.
  record = NodeRecord{.role = record.role,
                      .id = record.id,
                      .host = node.host,
                      .port = port_of(node),
                      .task = match ? std::optional(match->task) : record.task,
                      .recovered = barriers_.training(),
                      .starts_late = !barriers_.training() && barriers_.started(),
                      .customers = {node.customer_id},
                      .links = {link}};
  outbox_.hang_up(record);
  outbox_.dial(record);
  outbox_.send_list(record, roster_);
  for (const NodeRecord& other : roster_.nodes()) {
    if (&other != &record && other.responsive()) outbox_.send_change(other, record);
  }
  outbox_.tell(Recovered{roster_.member(record)});
}

void SchedulerFsm::refuse(const Newcomer& newcomer, std::string why) {
  const Node& node = newcomer.node;
  Member member{.role = node.role, .host = node.host, .port = port_of(node)};
  if (const auto match = roster_.task_at(node.role, node.host, port_of(node))) member.task = match->task;
  const std::string sentence =
      fmt::format("{} at {}:{} tried to register and was refused: {}",
                  member.task ? member.task->str() : fmt::format("a {}", name(node.role)), node.host, node.port, why);
  links_.erase(newcomer.link);
  outbox_.drop(newcomer.link);
  outbox_.tell(Refused{std::move(member), sentence});
}

// ---- life and death -------------------------------------------------------------------------------------------------

void SchedulerFsm::died(NodeRecord& node, NodeState state, const std::string& why, Instant now) {
  const bool news = node.responsive();
  const Member member = roster_.member(node);
  for (const LinkId link : std::exchange(node.links, {})) {
    links_.erase(link);
    outbox_.drop(link);
  }
  if (!roster_.numbered()) {
    roster_.remove(node);
    if (state != NodeState::left) outbox_.tell(NodeDead{member, why});
    place_newcomers(now);
    check_registration();
    return;
  }
  node.state = state;
  if (news) {
    outbox_.hang_up(node);
    barriers_.withdraw(*node.id);
    if (state != NodeState::left) outbox_.tell(NodeDead{member, why});
  }
  place_newcomers(now);
  check_barriers(now);
}

// If the address does not identify the ended task's node, its closed connection does: it is the candidate that has
// disconnected.
void SchedulerFsm::attribute_exits(Instant now) {
  if (is_over()) return;
  for (std::size_t i = 0; i < unattributed_.size();) {
    const NodeExited exited = unattributed_[i];
    const Roster::Task& task = roster_.tasks().at(exited.task);
    const auto found = std::ranges::find_if(roster_.nodes(), [&](const NodeRecord& node) {
      // A living node has no connection either between receiving its id and connecting with it.
      const bool hung_up = node.links.empty() && (node.introduced || !roster_.numbered());
      return hung_up && node.role == task.role && !node.task && node.responsive() &&
             (task.host.empty() || task.host == node.host);
    });
    if (found == roster_.nodes().end()) {
      ++i;
      continue;
    }
    unattributed_.erase(unattributed_.begin() + static_cast<std::ptrdiff_t>(i));
    if (roster_.numbered()) found->task = exited.task;
    died(*found, state_after(exited.outlook), exited.how.empty() ? "it ended" : exited.how, now);
  }
}

void SchedulerFsm::alive(NodeRecord& node) {
  if (node.state != NodeState::silent) return;
  node.state = NodeState::living;
  outbox_.tell(Note{fmt::format("{} is sending messages again; it was treated as dead because of missing heartbeats",
                                describe(roster_.member(node)))});
}

void SchedulerFsm::check_heartbeats(Instant now) {
  const auto silent = heartbeats_.look(roster_, now);
  if (!silent) return;
  for (const NodeRecord* node : *silent) {
    outbox_.tell(NodeDead{roster_.member(*node),
                          fmt::format("no heartbeat for {}", core::format_duration(options_.heartbeat_timeout))});
  }
  place_newcomers(now);
}

}  // namespace ydl::pslite
