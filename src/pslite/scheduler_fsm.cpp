#include "pslite/scheduler_fsm.hpp"

#include "core/strings.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace ydl::pslite {
namespace {

bool is_final(Outlook outlook) {
  return outlook == Outlook::gone || outlook == Outlook::left;
}

}  // namespace

SchedulerFsm::SchedulerFsm(FsmOptions options)
    : options_(std::move(options)),
      roster_(options_.workers, options_.servers),
      heartbeats_(options_.heartbeat_timeout),
      outbox_(Node{.role = Role::scheduler, .id = kSchedulerId, .host = options_.host, .port = options_.port}) {}

std::vector<Action> SchedulerFsm::handle(const Event& event, Instant now) {
  std::visit([&](const auto& happened) { on(happened, now); }, event);
  return outbox_.take();
}

std::optional<Instant> SchedulerFsm::next_deadline() const {
  if (is_over()) return std::nullopt;
  std::optional<Instant> next;
  const auto consider = [&](std::optional<Instant> at) {
    if (at && (!next || *at < *next)) next = at;
  };
  if (state_ == State::registering) consider(registration_deadline_);
  consider(newcomers_.next_deadline());
  consider(heartbeats_.next_deadline());
  consider(barriers_.next_stall(options_.stall_after));
  return next;
}

// ---- what the master says -------------------------------------------------------------------------------------------

void SchedulerFsm::on(const Begin& event, Instant now) {
  if (!event.host.empty()) outbox_.set_own_host(event.host);
  if (event.workers) roster_.expect_workers(*event.workers);
  if (options_.registration_timeout > Millis(0)) registration_deadline_ = now + options_.registration_timeout;
}

void SchedulerFsm::on(const Expect& event, Instant now) {
  roster_.expect(event);
  place_newcomers(now);
}

void SchedulerFsm::on(const NodeExited& event, Instant now) {
  const Roster::Task& task = roster_.ended(event);
  if (is_over()) return;
  if (NodeRecord* node = roster_.find(event.task)) {
    const std::string how = event.how.empty() ? "it ended" : event.how;
    died(*node, state_after(event.outlook), how, now);
    return;
  }
  const bool may_be_anonymous = std::ranges::any_of(roster_.nodes(), [&](const NodeRecord& node) {
    return node.role == task.role && !node.task && node.responsive();
  });
  if (may_be_anonymous) {
    // A second report of the same end changes only the outlook.
    std::erase_if(unattributed_, [&](const NodeExited& other) { return other.task == event.task; });
    unattributed_.push_back(event);
    attribute_exits(now);
    return;
  }
  if (is_final(event.outlook)) {
    outbox_.tell(NeverRegistered{
        event.task, fmt::format("{} ended without registering with the scheduler: it created no kvstore or a local "
                                "one; a distributed job needs mx.kv.create('dist_sync') or another dist_ type",
                                event.task.str())});
  }
  check_registration();
}

// ---- connections ----------------------------------------------------------------------------------------------------

void SchedulerFsm::on(const LinkOpened& event, Instant /*now*/) {
  const auto id = parse_identity(event.identity);
  if (!id) {
    links_[event.link] = Link{.address = event.address, .vouched = event.vouched};
    return;
  }
  NodeRecord* node = roster_.find(*id);
  if (node != nullptr && !event.vouched && !event.address.empty() && !roster_.has_task_at(node->role, event.address)) {
    refuse_unknown_peer(event.link, event.address, node->role);
    return;
  }
  if (node == nullptr || !node->responsive()) {
    violation(event.link, fmt::format("a connection has the identity '{}', which is not a living node of this job",
                                      event.identity));
    return;
  }
  links_[event.link] = Link{.node = id, .address = event.address, .vouched = event.vouched};
  node->links.insert(event.link);
  node->introduced = true;
}

void SchedulerFsm::on(const LinkClosed& event, Instant now) {
  links_.erase(event.link);
  newcomers_.forget(event.link);
  for (NodeRecord& node : roster_.nodes()) node.links.erase(event.link);
  attribute_exits(now);
}

void SchedulerFsm::on(const Received& event, Instant now) {
  const auto link = links_.find(event.link);
  if (link == links_.end()) return;  // already closed; these bytes were still in transit
  if (!event.meta.control || event.meta.control->command == Command::empty) {
    violation(event.link, "a peer sent data to the scheduler, which accepts only control messages");
    return;
  }
  const Command command = event.meta.control->command;
  if (command == Command::add_node) {
    add_node(event.link, event.meta, now);
    return;
  }
  NodeRecord* node = link->second.node ? roster_.find(*link->second.node) : nullptr;
  if (node == nullptr) {
    violation(event.link, "a peer without an id sent another message than its registration");
    return;
  }
  alive(*node);
  switch (command) {
    case Command::barrier:
      barrier(*node, event.link, event.meta, now);
      break;
    case Command::heartbeat:
      heartbeats_.heard(*node, now);
      if (node->resends) outbox_.acknowledge(*node, event.meta);
      outbox_.send_heartbeat(*node);
      break;
    case Command::ack:
      node->resends = true;
      break;
    case Command::terminate:
      died(*node, NodeState::left, "it announced its end", now);
      break;
    case Command::add_node:
    case Command::empty:
      break;
  }
}

void SchedulerFsm::on(const Unreachable& event, Instant /*now*/) {
  const NodeRecord* node = roster_.find(event.node);
  if (node == nullptr || !node->responsive()) return;
  if (node->links.empty()) {  // it has disconnected, so its end will be reported
    outbox_.tell(Note{fmt::format("{} has no connection to the scheduler, and the scheduler cannot connect to it: {}",
                                  describe(roster_.member(*node)), event.why)});
    return;
  }
  fail_job(Failure::unreachable,
           fmt::format("the scheduler cannot connect to {} at {}:{}: {}; the node announced this address itself, so "
                       "set DMLC_NODE_HOST (or DMLC_INTERFACE) to an address of its host that the scheduler can reach",
                       describe(roster_.member(*node)), node->host, node->port, event.why));
}

void SchedulerFsm::on(const Tick& /*event*/, Instant now) {
  if (is_over()) return;
  if (state_ == State::registering && registration_deadline_ && now >= *registration_deadline_) {
    const bool no_worker = roster_.count(Role::worker) == 0;
    fail_job(
        Failure::registration_timeout,
        fmt::format("not every node registered with the scheduler within {}: {}{}",
                    core::format_duration(options_.registration_timeout), roster_.registration_text(),
                    no_worker ? "; does the script create a distributed kvstore, mx.kv.create('dist_sync')?" : ""));
    return;
  }
  for (const Newcomer& newcomer : newcomers_.take_expired(now)) {
    refuse(newcomer, fmt::format("all {} of the job are already registered, and none of them ended within {}",
                                 core::plural(roster_.wanted(newcomer.node.role), name(newcomer.node.role)),
                                 core::format_duration(options_.newcomer_wait)));
  }
  check_heartbeats(now);
  for (auto& sentence : barriers_.new_stalls(roster_, now, options_.stall_after))
    outbox_.tell(Note{std::move(sentence)});
}

// ---- barriers -------------------------------------------------------------------------------------------------------

void SchedulerFsm::barrier(NodeRecord& node, LinkId link, const Meta& meta, Instant now) {
  const int group = meta.control->barrier_group.value_or(0);
  const std::int32_t customer = meta.customer_id.value_or(0);
  if (!meta.request || group < 1 || group > kAllGroups || (group & group_of(node.role)) == 0 || customer < 0 ||
      customer > kMaxCustomer) {
    violation(link, fmt::format("{} requested an invalid barrier (group {}, customer {})",
                                describe(roster_.member(node)), group, customer));
    return;
  }
  if (meta.timestamp) {
    const auto [last, first] = node.last_barrier.try_emplace(customer, *meta.timestamp);
    if (!first && *meta.timestamp <= last->second) {
      // Only nodes with PS_RESEND repeat a message, when it was not acknowledged in time.
      node.resends = true;
      outbox_.acknowledge(node, meta);
      return;
    }
    last->second = *meta.timestamp;
  }
  if (node.resends) outbox_.acknowledge(node, meta);
  if (state_ != State::running) return;
  if (group == kAllGroups && customer == 0 && std::exchange(node.starts_late, false) && barriers_.started()) {
    outbox_.release(*node.id, meta.app_id.value_or(0), customer);
    return;
  }
  const Barriers::Key key{.group = group, .customer = customer};
  barriers_.enter(key, *node.id, meta.app_id.value_or(0), now);
  if (group == kAllGroups && barriers_.started()) {
    check_barriers(now);
  } else {
    check_barrier(key, now);
  }
}

void SchedulerFsm::check_barriers(Instant now) {
  for (const Barriers::Key key : barriers_.keys()) check_barrier(key, now);
}

void SchedulerFsm::check_barrier(Barriers::Key key, Instant now) {
  if (state_ != State::running) return;
  if (barriers_.is_complete(key, roster_)) {
    open_barrier(key, now);
  } else if (auto why = barriers_.why_broken(key, roster_)) {
    fail_job(Failure::barrier_broken, *std::move(why));
  }
}

void SchedulerFsm::open_barrier(Barriers::Key key, Instant now) {
  const auto [barrier, passed] = barriers_.open(key);
  for (const NodeId id : barrier.entered) outbox_.release(id, barrier.app_id, key.customer);
  outbox_.tell(BarrierPassed{.group = key.group, .waited = now - barrier.since});
  if (passed != Barriers::Passed::last) return;
  state_ = State::finished;
  for (const Newcomer& newcomer : newcomers_.take_all()) refuse(newcomer, "the job has finished");
  outbox_.tell(Finished{});
}

// ---- ends -----------------------------------------------------------------------------------------------------------

void SchedulerFsm::violation(LinkId link, const std::string& what) {
  links_.erase(link);
  for (NodeRecord& node : roster_.nodes()) node.links.erase(link);
  newcomers_.forget(link);
  outbox_.drop(link);
  outbox_.tell(Note{what + "; its connection was closed"});
}

void SchedulerFsm::fail_job(Failure failure, std::string sentence) {
  if (state_ == State::failed || state_ == State::finished) return;
  state_ = State::failed;
  outbox_.tell(Failed{failure, std::move(sentence)});
}

}  // namespace ydl::pslite
