#include "yarn/allocator_fsm.hpp"

#include "core/assert.hpp"
#include "hrpc/errors.hpp"
#include "yarn/explain.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace ydl::yarn {
namespace {

// Errors after which the same request would fail again.
bool is_final(const core::Error& error) {
  return error.code == hrpc::Errc::invalid_request || error.code == hrpc::Errc::invalid_token ||
         error.code == hrpc::Errc::access_denied || error.code == hrpc::Errc::unauthenticated;
}

}  // namespace

AllocatorFsm::AllocatorFsm(AllocatorOptions options, std::span<const NodeReport> snapshot)
    : options_(options), nodes_(snapshot) {}

void AllocatorFsm::add_role(RoleAsk role) {
  const auto key = role.key;
  const bool is_new = roles_.emplace(key, RoleAsks(std::move(role), options_.style)).second;
  YDL_ASSERT(is_new);
}

void AllocatorFsm::want(AskKey role, int more, core::Instant now) {
  roles_.at(role).want(more, now);
}

void AllocatorFsm::release(const ContainerId& id) {
  if (completed_.contains(id) || !releasing_.insert(id).second) return;
  to_release_.insert(id);
}

void AllocatorFsm::avoid(const std::string& host) {
  nodes_.avoid(host);
  for (auto& [key, role] : roles_) {
    if (role.names(host)) role.forget_plan();
  }
}

void AllocatorFsm::forgive(const std::string& host) {
  nodes_.forgive(host);
}

AllocationUpdate AllocatorFsm::registered(const Registration& registration, core::Instant now) {
  YDL_ASSERT(state_ == State::unregistered);
  state_ = State::idle;
  last_heartbeat_ = now - options_.heartbeat.idle;  // the first heartbeat is due immediately
  AllocationUpdate update;
  if (!registration.counts_vcores) {
    for (auto& [key, role] : roles_) role.ignore_vcores();
  }
  keep_tokens(registration.nm_tokens);
  recover(registration.from_previous_attempts, update);
  return update;
}

AllocatorFsm::Next AllocatorFsm::on_registration_failure(const core::Error& error, core::Instant now) {
  YDL_ASSERT(state_ == State::unregistered);
  if (is_already_registered(error)) {
    (void)registered({}, now);
    return Next::go_on;
  }
  if (is_attempt_over(error) || is_final(error)) {
    state_ = State::over;
    return Next::end;
  }
  register_at_ = now + options_.heartbeat.registration_pause;
  return Next::go_on;
}

// A restarted ResourceManager has lost all requests, releases and blacklists, and counts responses from 0.
void AllocatorFsm::start_over(core::Instant now) {
  state_ = State::unregistered;
  register_at_ = now;
  response_id_ = 0;
  unanswered_.reset();
  avoided_told_.clear();
  to_release_ = releasing_;
  for (auto& [key, role] : roles_) {
    role.forget_told();
    if (role.open() > 0) role.forget_plan();
  }
}

void AllocatorFsm::plan(core::Instant now) {
  for (auto& [key, role] : roles_) {
    auto rooms = nodes_.rooms();
    for (const auto& [other_key, other] : roles_) {
      if (other_key != key) other.take_named(rooms);
    }
    role.plan(std::move(rooms), now, options_.patience);
  }
}

AllocateRequest AllocatorFsm::next_request(core::Instant now) {
  YDL_ASSERT(state_ == State::idle);
  state_ = State::waiting;
  last_heartbeat_ = now;
  if (unanswered_) return *unanswered_;
  plan(now);
  AllocateRequest request{.response_id = response_id_, .progress = progress_};
  for (auto& [key, role] : roles_) {
    for (auto& ask : role.changes()) request.asks.push_back(std::move(ask));
  }
  const auto& avoided = nodes_.avoided();
  std::ranges::set_difference(avoided, avoided_told_, std::back_inserter(request.avoid));
  std::ranges::set_difference(avoided_told_, avoided, std::back_inserter(request.forgive));
  avoided_told_ = avoided;
  request.releases.assign(to_release_.begin(), to_release_.end());
  to_release_.clear();
  unanswered_ = request;
  return request;
}

AllocationUpdate AllocatorFsm::on_response(const AllocateResponse& response, core::Instant now) {
  YDL_ASSERT(state_ == State::waiting);
  AllocationUpdate update;
  if (response.command == AllocateResponse::Command::resync) {
    start_over(now);
    return update;
  }
  state_ = response.command == AllocateResponse::Command::shutdown ? State::over : State::idle;
  unanswered_.reset();
  response_id_ = response.response_id;
  keep_tokens(response.nm_tokens);
  recover(response.from_previous_attempts, update);
  take_nodes(response, update);
  // before completions: a container may be granted and completed in the same answer
  take_grants(response, update, now);
  take_completions(response, update);
  update.will_be_preempted = response.will_be_preempted;
  update.may_be_preempted = response.may_be_preempted;
  if (response.am_rm_token && response.am_rm_token != am_rm_token_) {
    am_rm_token_ = response.am_rm_token;
    update.new_token = response.am_rm_token;
  }
  return update;
}

AllocatorFsm::Next AllocatorFsm::on_failure(const core::Error& error, core::Instant now) {
  YDL_ASSERT(state_ == State::waiting);
  if (is_not_registered(error)) {
    start_over(now);
    return Next::go_on;
  }
  if (is_attempt_over(error) || is_final(error)) {
    state_ = State::over;
    return Next::end;
  }
  state_ = State::idle;
  return Next::go_on;
}

core::Instant AllocatorFsm::next_heartbeat(core::Instant now) const {
  if (state_ == State::unregistered) return register_at_;
  HeartbeatNeeds needs{.has_news = has_news()};
  for (const auto& [key, role] : roles_) {
    if (role.open() == 0) continue;
    needs.waiting_since = std::max(needs.waiting_since.value_or(role.waiting_since()), role.waiting_since());
  }
  return last_heartbeat_ + heartbeat_interval(options_.heartbeat, needs, now);
}

bool AllocatorFsm::has_news() const {
  // An unanswered request is repeated at the normal interval, because the ResourceManager may be down.
  if (unanswered_) return false;
  return !to_release_.empty() || nodes_.avoided() != avoided_told_ ||
         std::ranges::any_of(roles_, [](const auto& entry) { return entry.second.has_changes(); });
}

int AllocatorFsm::open_asks() const {
  int open = 0;
  for (const auto& [key, role] : roles_) open += role.open();
  return open;
}

int AllocatorFsm::open_asks(AskKey role) const {
  return roles_.at(role).open();
}

const hrpc::Token* AllocatorFsm::nm_token(const NodeId& node) const {
  const auto found = nm_tokens_.find(node);
  return found == nm_tokens_.end() ? nullptr : &found->second;
}

}  // namespace ydl::yarn
