// The part of the machine for the job and the ResourceManager.
#include "backend/yarn/yarn_machine.hpp"

#include "backend/yarn/agent_container.hpp"
#include "core/assert.hpp"
#include "hrpc/errors.hpp"
#include "yarn/explain.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ydl::backend {
namespace {

using State = yarn::AllocatorFsm::State;
using Next = yarn::AllocatorFsm::Next;

constexpr core::Millis kWatchEvery{1'000};

yarn::AllocatorOptions allocator_options(const YarnJob& job) {
  yarn::AllocatorOptions options;
  if (job.scheduler.find("Fair") != std::string::npos) options.style = yarn::AskStyle::anywhere;
  return options;
}

}  // namespace

YarnMachine::YarnMachine(YarnJob job, YarnMachineOptions options)
    : job_(std::move(job)),
      options_(std::move(options)),
      allocator_(allocator_options(job_), job_.nodes),
      adopting_(options_.replaces_another) {
  for (const auto& role : options_.roles) {
    allocator_.add_role({.key = key_of(role.name),
                         .resource = role.resource,
                         .label = role.label,
                         .hosts = role.hosts,
                         .racks = role.racks,
                         .arrangement = role.arrangement});
  }
}

// ---- the job ---------------------------------------------------------------------------------------------------

YarnActions YarnMachine::place(const TaskRequest& request, core::Instant now) {
  if (take_over(request, now)) return take();
  if (!request.same_ports.empty()) {
    tell_job(job::Lost{request.attempt,
                       "the container of its last attempt has ended, so the task cannot keep its address",
                       job::Cause::cluster});
    return take();
  }
  want_another(request.attempt, 1, now);
  table_.wait({.request = prepare_in_container(request, job_), .not_on = request.not_on, .since = now});
  return take();
}

// Tries to give the attempt the container of the one before it, whose process has ended or will be ended by its agent.
// If that is not possible, the container is released.
bool YarnMachine::take_over(const TaskRequest& request, core::Instant now) {
  if (!request.takes_over) return false;
  auto* assigned = table_.find(*request.takes_over);
  const auto is_wanted = [&](const std::string& host) {
    return !warnings_.contains(assigned->container.id) && !avoided_.contains(host) &&
           !is_left_out(request.attempt.task.role, request.not_on, host);
  };
  if (assigned == nullptr || !is_wanted(assigned->container.node.host)) {
    give_back(*request.takes_over, now);
    return false;
  }
  const auto id = assigned->container.id;
  table_.hand_over(*assigned, prepare_in_container(request, job_), now);
  assigned->not_on = request.not_on;
  actions_.emplace_back(SendToAgent{id, protocol::Release{*request.takes_over}});
  actions_.emplace_back(SendToAgent{id, assigned->request});
  return true;
}

YarnActions YarnMachine::launch(protocol::Launch request, core::Instant now) {
  auto* assigned = table_.find(request.attempt);
  if (assigned == nullptr || assigned->phase == Phase::starting || assigned->phase == Phase::idle) return {};
  assigned->phase = Phase::launched;
  const auto id = assigned->container.id;
  actions_.emplace_back(SendToAgent{id, std::move(request)});
  tell_of_warning(id, now);
  return take();
}

YarnActions YarnMachine::stop(protocol::Stop request, core::Instant now) {
  const auto* assigned = table_.find(request.attempt);
  if (assigned == nullptr || assigned->phase == Phase::idle) return {};
  if (assigned->phase == Phase::starting) {  // no process runs yet that could use the grace
    give_back(request.attempt, now);
    tell_job(job::Lost{request.attempt, "it was stopped before it started", job::Cause::stopped});
    return take();
  }
  const auto id = assigned->container.id;
  actions_.emplace_back(SendToAgent{id, std::move(request)});
  return take();
}

YarnActions YarnMachine::pass(protocol::Notice notice) {
  const bool is_of_task = is_about_task(notice);
  std::visit(
      [&](auto& one) {
        const auto* assigned = table_.find(one.attempt);
        if (assigned == nullptr || assigned->phase == Phase::starting) return;
        if (!is_of_task || assigned->phase == Phase::launched)
          actions_.emplace_back(SendToAgent{assigned->container.id, std::move(one)});
      },
      notice);
  return take();
}

YarnActions YarnMachine::release(const core::AttemptId& attempt, core::Instant now) {
  auto* assigned = table_.find(attempt);
  if (assigned == nullptr || assigned->phase != Phase::launched) {
    give_back(attempt, now);
    return take();
  }
  await_end(*assigned,
            {.end = {.meaning = ContainerEnd::Meaning::lost,
                     .reason = "its container was released",
                     .cause = job::Cause::stopped}},
            now);
  return take();
}

void YarnMachine::give_back(const core::AttemptId& attempt, core::Instant now) {
  if (table_.stop_waiting(attempt)) return want_another(attempt, -1, now);
  auto* assigned = table_.find(attempt);
  if (assigned == nullptr || assigned->unconfirmed) return;
  const bool has_exited = assigned->phase == Phase::idle;
  assigned->phase = Phase::ended;
  if (!has_exited) return end_container(*assigned);
  assigned->told_to_shut_down = now;
  // The container ends together with its agent.
  actions_.emplace_back(SendToAgent{assigned->container.id, protocol::Shutdown{}});
}

void YarnMachine::want_another(const core::AttemptId& attempt, int more, core::Instant now) {
  allocator_.want(key_of(attempt.task.role), more, now);
}

// ---- time ------------------------------------------------------------------------------------------------------

YarnActions YarnMachine::tick(const LastHeard& last_heard, core::Instant now) {
  if (closed_) return {};
  leave_out_hosts(now);
  if (now >= next_watch_) {
    next_watch_ = now + kWatchEvery;
    end_silent_containers(last_heard, now);
    end_hanging_containers(now);
    watch_unconfirmed(last_heard, now);
    end_warnings(now);
    report_waiting_attempts(now);
    report_slow_starts(now);
    tell_where_no_host_is_left();
  }
  if (calling_ || is_over() || now < allocator_.next_heartbeat(now)) return take();
  calling_ = true;
  if (allocator_.state() == State::unregistered) {
    actions_.emplace_back(RegisterMaster{});
  } else {
    actions_.emplace_back(Allocate{allocator_.next_request(now)});
  }
  return take();
}

core::Instant YarnMachine::next_deadline(core::Instant now) const {
  if (calling_ || is_over()) return next_watch_;
  return std::min(next_watch_, allocator_.next_heartbeat(now));
}

// ---- the ResourceManager ---------------------------------------------------------------------------------------

YarnActions YarnMachine::registered(const yarn::Registration& registration, core::Instant now) {
  calling_ = false;
  was_registered_ = true;
  update(allocator_.registered(registration, now), now);
  return take();
}

YarnActions YarnMachine::registration_failed(const core::Error& error, core::Instant now) {
  calling_ = false;
  actions_.emplace_back(LogLine{error.message});
  const auto next = allocator_.on_registration_failure(error, now);
  if (next == Next::end && was_registered_)
    master_ended(error);  // a failure of the first registration is an error of open()
  was_registered_ = was_registered_ || allocator_.state() == State::idle;
  return take();
}

YarnActions YarnMachine::allocated(const yarn::AllocateResponse& response, core::Instant now) {
  calling_ = false;
  update(allocator_.on_response(response, now), now);
  if (is_over()) master_ended({core::Errc::refused, "it ordered this master to shut down"});
  return take();
}

YarnActions YarnMachine::allocate_failed(const core::Error& error, core::Instant now) {
  calling_ = false;
  actions_.emplace_back(LogLine{fmt::format("heartbeat: {}", error.message)});
  if (allocator_.on_failure(error, now) == Next::end) master_ended(error);
  return take();
}

// If the ResourceManager does not list this master any more, the master was replaced or its application was killed. In
// both cases it must not touch the tasks. A refusal for another reason fails the job.
void YarnMachine::master_ended(const core::Error& why) {
  // Once another attempt of the master has started, the token of this one is not accepted on a new connection.
  const bool is_replaced = is_over() && (why.code == core::Errc::refused || yarn::is_attempt_over(why) ||
                                         why.code == hrpc::Errc::invalid_token);
  if (options_.can_be_replaced && is_replaced) {
    if (!closed_) actions_.emplace_back(GiveUpJob{why.message});
    return;
  }
  tell_job(job::Broken{fmt::format("the ResourceManager ended this master: {}", why.message)});
}

void YarnMachine::update(const yarn::AllocationUpdate& update, core::Instant now) {
  if (update.new_token) actions_.emplace_back(UseToken{*update.new_token});
  if (!update.changed_nodes.empty()) told_no_host_.clear();
  if (!update.granted.empty()) assign(update.granted, now);
  for (const auto& status : update.completed) completed(status, now);
  take_warnings(update, now);
  for (const auto& container : update.recovered) {  // containers of an earlier master
    if (adopting_)
      earlier_.emplace(container.id, container);
    else if (table_.find(container.id) == nullptr)
      allocator_.release(container.id);
  }
}

void YarnMachine::assign(const std::vector<yarn::Container>& granted, core::Instant now) {
  std::map<yarn::NodeId, std::vector<yarn::Container>> by_node;
  for (const auto& container : granted) {
    const auto* role = role_of(container.key);
    if (role == nullptr || closed_) {
      allocator_.release(container.id);
      continue;
    }
    const auto& host = container.node.host;
    const auto* assigned = table_.assign(role->name, container, now, [&](const WaitingAttempt& attempt) {
      return !avoided_.contains(host) && !is_left_out(role->name, attempt.not_on, host);
    });
    if (assigned == nullptr) {
      refuse(role->name, container, now);
      continue;
    }
    tell_job(job::Granted{assigned->request.attempt, host});
    actions_.emplace_back(ExpectAgent{container.id});
    actions_.emplace_back(SendToAgent{container.id, assigned->request});
    by_node[container.node].push_back(container);
  }
  for (auto& [node, containers] : by_node) {
    if (const auto* token = allocator_.nm_token(node)) {
      actions_.emplace_back(StartContainers{node, *token, std::move(containers)});
      continue;
    }
    const core::Error no_token{core::Errc::corrupt, "the ResourceManager gave no token for this node"};
    for (const auto& container : containers) start_failed(container.id, no_token, now);
  }
}

// ---- helpers ---------------------------------------------------------------------------------------------------

void YarnMachine::tell_job(job::Event event) {
  if (!closed_) actions_.emplace_back(TellJob{std::move(event)});
}

void YarnMachine::tell_user(std::string text) {
  if (!closed_) actions_.emplace_back(TellUser{std::move(text)});
}

const std::string* YarnMachine::address_of(const std::string& host) const {
  const auto found = addresses_.find(host);
  return found == addresses_.end() ? nullptr : &found->second;
}

bool YarnMachine::is_registered() const {
  return allocator_.state() == State::idle || allocator_.state() == State::waiting;
}

const YarnRole* YarnMachine::role_of(const yarn::AskKey& key) const {
  const auto index = static_cast<std::size_t>(key.allocation_id - 1);
  return index < options_.roles.size() ? &options_.roles[index] : nullptr;
}

const YarnRole& YarnMachine::role_named(const std::string& name) const {
  const auto found = std::ranges::find(options_.roles, name, &YarnRole::name);
  YDL_ASSERT(found != options_.roles.end());
  return *found;
}

yarn::AskKey YarnMachine::key_of(const std::string& role) const {
  const auto number = static_cast<std::int32_t>(&role_named(role) - options_.roles.data()) + 1;
  return {{number}, number};
}

}  // namespace ydl::backend
