// The part of the state machine that lets nodes in, notices their end and gives their places to others.
#include "core/strings.hpp"
#include "pslite/scheduler_fsm.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace ydl::pslite {
namespace {

constexpr std::size_t kMaxNewcomers = 64;

// Nothing when the registration can be taken, else what is wrong with it.
std::optional<std::string> objection(const Control& control) {
  if (control.nodes.size() != 1)
    return fmt::format("a registration names {} instead of one",
                       core::plural(static_cast<std::int64_t>(control.nodes.size()), "node"));
  const Node& node = control.nodes.front();
  if (node.role == Role::scheduler)
    return "a second scheduler tried to register; remove DMLC_ROLE=scheduler from the job, ydl is its scheduler";
  if (node.host.empty() || node.port < 1 || node.port > 65'535) {
    return fmt::format("a {} registered with the impossible address '{}:{}'", name(node.role),
                       core::printable(node.host), node.port);
  }
  if (node.customer_id < 0 || node.customer_id > kMaxCustomer) {
    return fmt::format("a {} registered kvstore number {}; a process can have {}", name(node.role), node.customer_id,
                       kMaxCustomer + 1);
  }
  return std::nullopt;
}

std::uint16_t port_of(const Node& node) {
  return static_cast<std::uint16_t>(node.port);
}

}  // namespace

// ---- registration ---------------------------------------------------------------------------------------------------

void SchedulerFsm::add_node(LinkId link, const Meta& meta, Instant now) {
  if (const auto wrong = objection(*meta.control)) {
    violation(link, *wrong);
    return;
  }
  const Node& node = meta.control->nodes.front();
  if (const auto id = links_.at(link).node) {
    // A process that has its id makes another kvstore. It waits for no answer.
    NodeRecord* known = roster_.find(*id);
    known->customers.insert(node.customer_id);
    alive(*known);
    if (known->resends) acknowledge(*known, meta);
    return;
  }
  join(link, node, now);
}

void SchedulerFsm::join(LinkId link, const Node& node, Instant now) {
  NodeRecord* same = roster_.find(node.role, node.host, port_of(node));
  if (same != nullptr && same->state == NodeState::living) {
    // Another kvstore of a process whose id is on its way to it, or the same registration once more.
    same->customers.insert(node.customer_id);
    same->links.insert(link);
    if (roster_.numbered()) actions_.emplace_back(Send{*same->id, node_list()});
    return;
  }
  if (state_ == State::registering && roster_.count(node.role) < roster_.wanted(node.role)) {
    register_node(link, node);
    return;
  }
  const Newcomer newcomer{.link = link, .node = node, .deadline = now + options_.newcomer_wait};
  if (state_ == State::finished || state_ == State::failed) {
    refuse(newcomer, state_ == State::finished ? "the job has finished" : "the job has failed");
    return;
  }
  if (newcomers_.size() == kMaxNewcomers) {
    refuse(newcomer, fmt::format("{} others wait for a place already", kMaxNewcomers));
    return;
  }
  newcomers_.push_back(newcomer);
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
  tell(Registered{.member = roster_.member(added),
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
    actions_.emplace_back(Dial{*node.id, node.host, node.port});
    actions_.emplace_back(Send{*node.id, node_list()});
  }
  tell(AllRegistered{std::move(members)});
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
  for (bool placed = true; placed;) {
    placed = false;
    for (std::size_t i = 0; i < newcomers_.size() && !placed; ++i) {
      const Newcomer newcomer = newcomers_[i];
      const bool room =
          state_ == State::registering && roster_.count(newcomer.node.role) < roster_.wanted(newcomer.node.role);
      NodeRecord* place = state_ == State::running ? place_for(newcomer.node) : nullptr;
      if (!room && place == nullptr) continue;
      newcomers_.erase(newcomers_.begin() + static_cast<std::ptrdiff_t>(i));
      placed = true;
      if (room) {
        register_node(newcomer.link, newcomer.node);
        continue;
      }
      if (place->responsive()) died(*place, NodeState::dead, "a new attempt of it registered", now);
      replace(*place, newcomer.link, newcomer.node);
    }
  }
}

// The place of the task it is, if its address tells; else that of a dead node of its role.
NodeRecord* SchedulerFsm::place_for(const Node& node) {
  const auto match = roster_.task_at(node.role, node.host, port_of(node));
  if (match) {
    NodeRecord* own = roster_.find(match->task);
    // A port names one attempt: the former one has ended even if nobody said so yet.
    if (own != nullptr && (!own->responsive() || match->exact)) return own;
    if (own != nullptr) return nullptr;
  }
  for (NodeRecord& other : roster_.nodes()) {
    if (other.role == node.role && (other.state == NodeState::dead || other.state == NodeState::silent)) return &other;
  }
  return nullptr;
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
                     .recovered = training_,
                     .starts_late = !training_ && started_,
                     .customers = {node.customer_id},
                     .links = {link}};
  actions_.emplace_back(HangUp{*place.id});
  actions_.emplace_back(Dial{*place.id, place.host, place.port});
  actions_.emplace_back(Send{*place.id, node_list()});
  Node changed = list_entry(place);
  changed.is_recovery = true;
  for (const NodeRecord& other : roster_.nodes()) {
    if (&other == &place || !other.responsive()) continue;
    Meta meta = control(Command::add_node);
    meta.control->nodes.push_back(changed);
    actions_.emplace_back(Send{*other.id, std::move(meta)});
  }
  tell(Recovered{roster_.member(place)});
}

void SchedulerFsm::refuse(const Newcomer& newcomer, std::string why) {
  const Node& node = newcomer.node;
  Member member{.role = node.role, .host = node.host, .port = port_of(node)};
  if (const auto match = roster_.task_at(node.role, node.host, port_of(node))) member.task = match->task;
  const std::string sentence =
      fmt::format("{} at {}:{} wanted to register and was refused: {}",
                  member.task ? member.task->str() : fmt::format("a {}", name(node.role)), node.host, node.port, why);
  links_.erase(newcomer.link);
  actions_.emplace_back(DropLink{newcomer.link});
  tell(Refused{std::move(member), sentence});
}

// ---- life and death -------------------------------------------------------------------------------------------------

void SchedulerFsm::died(NodeRecord& node, NodeState state, const std::string& why, Instant now) {
  const bool news = node.responsive();
  const Member member = roster_.member(node);
  for (const LinkId link : std::exchange(node.links, {})) {
    links_.erase(link);
    actions_.emplace_back(DropLink{link});
  }
  if (!roster_.numbered()) {
    roster_.remove(node);
    if (state != NodeState::left) tell(NodeDead{member, why});
    place_newcomers(now);
    check_registration();
    return;
  }
  node.state = state;
  if (news) {
    actions_.emplace_back(HangUp{*node.id});
    barriers_.withdraw(*node.id);
    if (state != NodeState::left) tell(NodeDead{member, why});
  }
  place_newcomers(now);
  check_barriers(now);
}

// Where addresses do not tell tasks apart, the closed connection does: of the nodes that may be the ended task, the
// one that hung up is it.
void SchedulerFsm::attribute_exits(Instant now) {
  if (state_ == State::finished || state_ == State::failed) return;
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
  tell(Note{fmt::format("{} is back: it was thought dead for want of heartbeats", describe(roster_.member(node)))});
}

void SchedulerFsm::check_heartbeats(Instant now) {
  if (!heartbeat_check_ || now < *heartbeat_check_) return;
  heartbeat_check_.reset();
  for (NodeRecord& node : roster_.nodes()) {
    if (node.state != NodeState::living || !node.last_heartbeat) continue;
    const Instant due = *node.last_heartbeat + options_.heartbeat_timeout;
    if (now >= due) {
      node.state = NodeState::silent;
      tell(NodeDead{roster_.member(node),
                    fmt::format("no heartbeat for {}", core::format_duration(options_.heartbeat_timeout))});
    } else if (!heartbeat_check_ || due < *heartbeat_check_) {
      heartbeat_check_ = due;
    }
  }
  place_newcomers(now);
}

}  // namespace ydl::pslite
