// The part of the state machine that lets nodes in, notices their end and gives their places to others.
#include "core/strings.hpp"
#include "pslite/scheduler_fsm.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace ydl::pslite {
namespace {

constexpr std::size_t kMostStrangers = 16;

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
    refuse_stranger(link, from.address, node.role);
    return;
  }
  if (const auto id = links_.at(link).node) {
    // A process that has its id makes another kvstore. It waits for no answer.
    NodeRecord* known = roster_.find(*id);
    known->customers.insert(node.customer_id);
    alive(*known);
    if (known->resends) outbox_.acknowledge(*known, meta);
    return;
  }
  join(link, node, now);
}

void SchedulerFsm::refuse_stranger(LinkId link, std::string address, Role role) {
  const auto sentence =
      fmt::format("a registration as {} from {}, where this job has no {}", name(role), address, name(role));
  if (strangers_.size() < kMostStrangers && strangers_.insert(std::move(address)).second)
    outbox_.tell(StrangerRefused{sentence});
  violation(link, sentence);
}

void SchedulerFsm::join(LinkId link, const Node& node, Instant now) {
  NodeRecord* same = roster_.find(node.role, node.host, port_of(node));
  if (same != nullptr && same->state == NodeState::living) {
    // Another kvstore of a process whose id is on its way to it, or the same registration once more.
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
    refuse(newcomer, fmt::format("{} others wait for a place already", Newcomers::kMost));
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

// A task that ended for good without registering leaves the others waiting, at once and not after the timeout. As
// long as no worker came there is nobody to wait: the script may use a local kvstore and be content.
void SchedulerFsm::check_registration() {
  if (state_ != State::registering || roster_.count(Role::worker) == 0) return;
  for (const auto& [id, task] : roster_.tasks()) {
    if (!task.ended || (*task.ended != Outlook::gone && *task.ended != Outlook::left) || roster_.find(id) != nullptr)
      continue;
    fail_job(
        Failure::registration_hopeless,
        fmt::format("{} ended before all nodes had registered{}, so the others would wait for it for ever: {}",
                    id.str(), task.how.empty() ? "" : fmt::format(" ({})", task.how), roster_.registration_text()));
    return;
  }
}

// ---- newcomers when all places are taken ----------------------------------------------------------------------------

void SchedulerFsm::place_newcomers(Instant now) {
  const auto has_room = [this](const Newcomer& newcomer) {
    return state_ == State::registering && roster_.count(newcomer.node.role) < roster_.wanted(newcomer.node.role);
  };
  const auto place_of = [this](const Newcomer& newcomer) {
    return state_ == State::running ? roster_.place_for(newcomer.node) : nullptr;
  };
  const auto has_place = [&](const Newcomer& one) { return has_room(one) || place_of(one) != nullptr; };
  while (const auto newcomer = newcomers_.take_first(has_place)) {
    if (has_room(*newcomer)) {
      register_node(newcomer->link, newcomer->node);
      continue;
    }
    NodeRecord* place = place_of(*newcomer);
    if (place->responsive()) died(*place, NodeState::dead, "a new attempt of it registered", now);
    replace(*place, newcomer->link, newcomer->node);
  }
}

// The newcomer becomes the dead node. It gets the whole list; the living get its new address only.
void SchedulerFsm::replace(NodeRecord& place, LinkId link, const Node& node) {
  const auto match = roster_.task_at(node.role, node.host, port_of(node));
  // Before the workers passed their first own barrier the others still stand in MXNet's start and initialization
  // barriers, which a recovering node skips: it has to start like everybody then.
  place = NodeRecord{.role = place.role,
                     .id = place.id,
                     .host = node.host,
                     .port = port_of(node),
                     .task = match ? std::optional(match->task) : place.task,
                     .recovered = barriers_.training(),
                     .starts_late = !barriers_.training() && barriers_.started(),
                     .customers = {node.customer_id},
                     .links = {link}};
  outbox_.hang_up(place);
  outbox_.dial(place);
  outbox_.send_list(place, roster_);
  for (const NodeRecord& other : roster_.nodes()) {
    if (&other != &place && other.responsive()) outbox_.send_change(other, place);
  }
  outbox_.tell(Recovered{roster_.member(place)});
}

void SchedulerFsm::refuse(const Newcomer& newcomer, std::string why) {
  const Node& node = newcomer.node;
  Member member{.role = node.role, .host = node.host, .port = port_of(node)};
  if (const auto match = roster_.task_at(node.role, node.host, port_of(node))) member.task = match->task;
  const std::string sentence =
      fmt::format("{} at {}:{} wanted to register and was refused: {}",
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

// Where addresses do not tell tasks apart, the closed connection does: of the nodes that may be the ended task, the
// one that hung up is it.
void SchedulerFsm::attribute_exits(Instant now) {
  if (is_over()) return;
  for (std::size_t i = 0; i < unattributed_.size();) {
    const NodeExited exited = unattributed_[i];
    const Roster::Task& task = roster_.tasks().at(exited.task);
    const auto found = std::ranges::find_if(roster_.nodes(), [&](const NodeRecord& node) {
      // Between getting its id and connecting with it a living node has no connection either.
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
  outbox_.tell(
      Note{fmt::format("{} is back: it was thought dead for want of heartbeats", describe(roster_.member(node)))});
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
