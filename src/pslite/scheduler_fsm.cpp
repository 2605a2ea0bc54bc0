#include "pslite/scheduler_fsm.hpp"

#include "core/strings.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace ydl::pslite {
namespace {

// The key under which a resending node waits for its acknowledgement. It is not sent: both ends compute it.
std::uint64_t signature(const Meta& meta, NodeId sender) {
  const auto app = static_cast<std::uint16_t>(meta.app_id.value_or(kEmptyValue));
  const auto from = static_cast<std::uint8_t>(number(sender));
  const auto to = static_cast<std::uint8_t>(number(kSchedulerId));
  return (std::uint64_t{app} << 48U) | (std::uint64_t{from} << 40U) | (std::uint64_t{to} << 32U) |
         (static_cast<std::uint64_t>(meta.timestamp.value_or(0)) << 1U) | (meta.request ? 1U : 0U);
}

bool is_final(Outlook outlook) {
  return outlook == Outlook::gone || outlook == Outlook::left;
}

}  // namespace

SchedulerFsm::SchedulerFsm(FsmOptions options)
    : options_(std::move(options)), roster_(options_.workers, options_.servers) {}

std::vector<Action> SchedulerFsm::handle(const Event& event, Instant now) {
  std::visit([&](const auto& happened) { on(happened, now); }, event);
  return std::exchange(actions_, {});
}

std::optional<Instant> SchedulerFsm::next_deadline() const {
  if (state_ == State::finished || state_ == State::failed) return std::nullopt;
  std::optional<Instant> next;
  const auto consider = [&](std::optional<Instant> at) {
    if (at && (!next || *at < *next)) next = at;
  };
  if (state_ == State::registering) consider(registration_deadline_);
  for (const Newcomer& newcomer : newcomers_) consider(newcomer.deadline);
  consider(heartbeat_check_);
  if (options_.stall_after > Millis(0)) {
    for (const auto& [key, barrier] : barriers_.waiting()) {
      if (!barrier.told) consider(barrier.since + options_.stall_after);
    }
  }
  return next;
}

// ---- what the master says -------------------------------------------------------------------------------------------

void SchedulerFsm::on(const Begin& /*event*/, Instant now) {
  if (options_.registration_timeout > Millis(0)) registration_deadline_ = now + options_.registration_timeout;
}

void SchedulerFsm::on(const Expect& event, Instant now) {
  roster_.expect(event);
  place_newcomers(now);
}

void SchedulerFsm::on(const NodeExited& event, Instant now) {
  const Roster::Task& task = roster_.ended(event);
  if (state_ == State::finished || state_ == State::failed) return;
  if (NodeRecord* node = roster_.find(event.task)) {
    const std::string how = event.how.empty() ? "it ended" : event.how;
    died(*node, state_after(event.outlook), how, now);
    return;
  }
  const bool may_be_anonymous = std::ranges::any_of(roster_.nodes(), [&](const NodeRecord& node) {
    return node.role == task.role && !node.task && node.responsive();
  });
  if (may_be_anonymous) {
    // A second report of the same end only changes the outlook.
    std::erase_if(unattributed_, [&](const NodeExited& other) { return other.task == event.task; });
    unattributed_.push_back(event);
    attribute_exits(now);
    return;
  }
  if (is_final(event.outlook)) {
    tell(NeverRegistered{
        event.task, fmt::format("{} ended without ever registering with the scheduler: its kvstore is local, or it "
                                "created none; a distributed job needs mx.kv.create('dist_sync') or another dist_ type",
                                event.task.str())});
  }
  check_registration();
}

// ---- connections ----------------------------------------------------------------------------------------------------

void SchedulerFsm::on(const LinkOpened& event, Instant /*now*/) {
  const auto id = parse_identity(event.identity);
  if (!id) {
    links_[event.link] = Link{};
    return;
  }
  NodeRecord* node = roster_.find(*id);
  if (node == nullptr || !node->responsive()) {
    violation(event.link,
              fmt::format("a connection claims to be '{}', which is no living node of this job", event.identity));
    return;
  }
  links_[event.link] = Link{.node = id};
  node->links.insert(event.link);
  node->introduced = true;
}

void SchedulerFsm::on(const LinkClosed& event, Instant now) {
  links_.erase(event.link);
  std::erase_if(newcomers_, [&](const Newcomer& newcomer) { return newcomer.link == event.link; });
  for (NodeRecord& node : roster_.nodes()) node.links.erase(event.link);
  attribute_exits(now);
}

void SchedulerFsm::on(const Received& event, Instant now) {
  const auto link = links_.find(event.link);
  if (link == links_.end()) return;  // dropped; its last bytes were on their way
  if (!event.meta.control || event.meta.control->command == Command::empty) {
    violation(event.link, "a peer sent data to the scheduler, which takes control messages only");
    return;
  }
  const Command command = event.meta.control->command;
  if (command == Command::add_node) {
    add_node(event.link, event.meta, now);
    return;
  }
  NodeRecord* node = link->second.node ? roster_.find(*link->second.node) : nullptr;
  if (node == nullptr) {
    violation(event.link, "a peer that has no id yet sent something else than its registration");
    return;
  }
  alive(*node);
  switch (command) {
    case Command::barrier:
      barrier(*node, event.link, event.meta, now);
      break;
    case Command::heartbeat: {
      node->last_heartbeat = now;
      if (!heartbeat_check_ && options_.heartbeat_timeout > Millis(0))
        heartbeat_check_ = now + options_.heartbeat_timeout;
      if (node->resends) acknowledge(*node, event.meta);
      Meta reply = control(Command::heartbeat);
      reply.control->nodes.push_back(own_entry());
      actions_.emplace_back(Send{*node->id, std::move(reply)});
      break;
    }
    case Command::ack:
      node->resends = true;
      break;
    case Command::terminate:
      died(*node, NodeState::left, "it said good-bye", now);
      break;
    case Command::add_node:
    case Command::empty:
      break;
  }
}

void SchedulerFsm::on(const Unreachable& event, Instant /*now*/) {
  const NodeRecord* node = roster_.find(event.node);
  if (node == nullptr || !node->responsive()) return;
  fail_job(Failure::unreachable, fmt::format("the scheduler cannot connect to {} at {}:{}: {}; the node announced this "
                                             "address itself, so DMLC_NODE_HOST (or "
                                             "DMLC_INTERFACE) must name an address of its host that this one can reach",
                                             describe(roster_.member(*node)), node->host, node->port, event.why));
}

void SchedulerFsm::on(const Tick& /*event*/, Instant now) {
  if (state_ == State::finished || state_ == State::failed) return;
  if (state_ == State::registering && registration_deadline_ && now >= *registration_deadline_) {
    const bool no_worker = roster_.count(Role::worker) == 0;
    fail_job(
        Failure::registration_timeout,
        fmt::format("not every node registered with the scheduler within {}: {}{}",
                    core::format_duration(options_.registration_timeout), roster_.registration_text(),
                    no_worker ? "; does the script create a distributed kvstore, mx.kv.create('dist_sync')?" : ""));
    return;
  }
  std::vector<Newcomer> refused;
  std::ranges::copy_if(newcomers_, std::back_inserter(refused),
                       [&](const Newcomer& newcomer) { return now >= newcomer.deadline; });
  std::erase_if(newcomers_, [&](const Newcomer& newcomer) { return now >= newcomer.deadline; });
  for (const Newcomer& newcomer : refused) {
    refuse(newcomer, fmt::format("all {} of the job are there, and none was reported dead within {}",
                                 core::plural(roster_.wanted(newcomer.node.role), name(newcomer.node.role)),
                                 core::format_duration(options_.newcomer_wait)));
  }
  check_heartbeats(now);
  check_stalls(now);
}

// ---- sending --------------------------------------------------------------------------------------------------------

Meta SchedulerFsm::control(Command command) {
  Meta meta;
  meta.control = Control{.command = command};
  meta.timestamp = timestamp_;
  // Resending nodes shift it by one bit into their key.
  timestamp_ = (timestamp_ + 1) & 0x3fffffff;
  return meta;
}

Node SchedulerFsm::list_entry(const NodeRecord& node) const {
  return Node{.role = node.role,
              .id = node.id,
              .host = node.host,
              .port = node.port,
              .is_recovery = node.recovered,
              .customer_id = node.customers.empty() ? 0 : *node.customers.begin()};
}

Node SchedulerFsm::own_entry() const {
  return Node{.role = Role::scheduler, .id = kSchedulerId, .host = options_.host, .port = options_.port};
}

Meta SchedulerFsm::node_list() {
  Meta meta = control(Command::add_node);
  for (const NodeRecord& node : roster_.nodes()) meta.control->nodes.push_back(list_entry(node));
  meta.control->nodes.push_back(own_entry());
  return meta;
}

void SchedulerFsm::acknowledge(const NodeRecord& node, const Meta& meta) {
  Meta reply;
  reply.control = Control{.command = Command::ack, .message_signature = signature(meta, *node.id)};
  actions_.emplace_back(Send{*node.id, std::move(reply)});
}

void SchedulerFsm::violation(LinkId link, const std::string& what) {
  links_.erase(link);
  for (NodeRecord& node : roster_.nodes()) node.links.erase(link);
  std::erase_if(newcomers_, [&](const Newcomer& newcomer) { return newcomer.link == link; });
  actions_.emplace_back(DropLink{link});
  tell(Note{what + "; its connection was closed"});
}

void SchedulerFsm::fail_job(Failure failure, std::string sentence) {
  if (state_ == State::failed || state_ == State::finished) return;
  state_ = State::failed;
  tell(Failed{failure, std::move(sentence)});
}

}  // namespace ydl::pslite
