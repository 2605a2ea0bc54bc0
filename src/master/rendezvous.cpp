#include "master/rendezvous.hpp"

#include "core/assert.hpp"
#include "master/job_image.hpp"
#include "net/spawn.hpp"

#include <algorithm>
#include <utility>

namespace ydl::master {
namespace {

constexpr std::string_view kServer = "server";
constexpr std::string_view kWorker = "worker";

// The scheduler does not know the tasks of other roles, which run beside MXNet.
bool has_node(const core::TaskId& task) {
  return task.role == kWorker || task.role == kServer;
}

bool has_own_network(const spec::JobSpec& spec) {
  return spec.image && spec.image->network.value_or("host") != "host";
}

protocol::SchedulerNode node_of(const framework::Gang& gang, const core::AttemptId& attempt) {
  const auto& member = gang.member(attempt.task);
  return {attempt, member.host, member.ports.empty() ? std::uint16_t{0} : member.ports.front()};
}

}  // namespace

protocol::SchedulerPlan scheduler_plan(const JobPlan& plan, std::string listen) {
  return {.workers = plan.shape.count("worker"),
          .servers = plan.shape.count(kServer),
          .registration_timeout = plan.spec.rendezvous_timeout,
          .listen = std::move(listen),
          .takes_any_address = has_own_network(plan.spec)};
}

std::optional<core::TaskId> scheduler_task(const JobPlan& plan, core::ClusterKind cluster) {
  if (plan.framework->tracker() != framework::Tracker::pslite) return std::nullopt;
  const auto servers = std::ranges::find(plan.job.roles, kServer, &job::RolePlan::name);
  if (servers == plan.job.roles.end() || servers->count == 0) return std::nullopt;
  const bool is_needed = servers->kind == core::RoleKind::service || servers->kind == core::RoleKind::decider;
  if (!is_needed || servers->restart != core::RestartUnit::gang) return std::nullopt;
  // A NodeManager runs the agent in the image's network, while podman and docker run only the task there.
  const bool is_hidden =
      cluster != core::ClusterKind::local && image_for_node_manager(plan.spec) && has_own_network(plan.spec);
  return is_hidden ? std::nullopt : std::optional(core::TaskId{std::string(kServer), 0});
}

core::Result<void> Rendezvous::open() {
  is_open_ = true;
  if (options_.at) return {};
  here_.reset();
  auto started = agent::SchedulerHost::start(executor_, options_.plan, options_.port_range,
                                             {[this](std::string why) {
                                                net::spawn(executor_, "reporting a failure of the scheduler",
                                                           tell_broken(here_, std::move(why)));
                                              },
                                              [this](std::string text) { sink_.note(std::move(text)); }});
  if (!started) return core::fail(started.error());
  here_ = *std::move(started);
  return {};
}

// The failure ends the scheduler, which must not happen during a callback of the scheduler; so it is posted.
net::awaitable<void> Rendezvous::tell_broken(std::weak_ptr<agent::SchedulerHost> scheduler, std::string why) {
  co_await net::asio::post(co_await net::asio::this_coro::executor, net::asio::use_awaitable);
  if (!scheduler.expired()) sink_.broken(std::move(why));
}

void Rendezvous::close() {
  is_open_ = false;
  here_.reset();
}

std::optional<protocol::SchedulerPlan> Rendezvous::scheduler_of(const core::TaskId& task) const {
  return options_.at == task ? std::optional(options_.plan) : std::nullopt;
}

void Rendezvous::put_into(framework::Gang& gang) const {
  if (!options_.at) {
    gang.scheduler_host = options_.master;
    gang.scheduler_port = here_ == nullptr ? std::uint16_t{0} : here_->port();
    return;
  }
  const auto member = std::ranges::find(gang.members, *options_.at, &framework::Gang::Member::id);
  YDL_ASSERT(member != gang.members.end());
  if (member->ports.empty()) return;  // the task is not placed
  gang.scheduler_host = member->host;
  gang.scheduler_port = member->ports.back();
  member->ports.pop_back();
}

core::AttemptId Rendezvous::attempt() const {
  if (!options_.at) return {};
  return {*options_.at, options_.attempt_of(*options_.at).value_or(1)};
}

void Rendezvous::launching(const framework::Gang& gang, const std::vector<core::AttemptId>& attempts) {
  protocol::SchedulerExpect expect{attempt(), gang.scheduler_host, {}, {}};
  for (const auto& one : attempts) {
    if (has_node(one.task)) expect.nodes.push_back(node_of(gang, one));
  }
  if (const int workers = gang.count(kWorker); workers != options_.plan.workers) expect.workers = workers;
  if (options_.agent_addresses) expect.addresses = options_.agent_addresses();
  tell(std::move(expect));
}

void Rendezvous::ended(const job::MemberEnded& member) {
  if (is_open_ && has_node(member.attempt.task))
    tell(protocol::SchedulerEnded{attempt(), member.attempt, member.next, member.reason});
}

void Rendezvous::tell(protocol::Notice notice) {
  if (options_.at) return sink_.pass(std::move(notice));
  if (here_ == nullptr) return;
  if (const auto* expect = std::get_if<protocol::SchedulerExpect>(&notice)) here_->expect(*expect);
  if (const auto* ended = std::get_if<protocol::SchedulerEnded>(&notice)) here_->ended(*ended);
}

void Rendezvous::repeat_state(const framework::Gang& gang, const job::Snapshot& snapshot) {
  using job::JobState;
  if (snapshot.state != JobState::starting && snapshot.state != JobState::running &&
      snapshot.state != JobState::finishing)
    return;
  is_open_ = true;
  std::vector<core::AttemptId> attempts;
  for (const auto& task : snapshot.tasks) {
    if (task.place && task.state != core::TaskState::placed) attempts.emplace_back(task.id, task.attempt);
  }
  launching(gang, attempts);
  for (const auto& end : ends_in(snapshot)) ended(end);
}

std::vector<job::MemberEnded> ends_in(const job::Snapshot& snapshot) {
  using core::TaskState;
  using Next = job::MemberEnded::Next;
  std::vector<job::MemberEnded> ends;
  for (const auto& task : snapshot.tasks) {
    const core::AttemptId attempt{task.id, task.attempt};
    switch (task.state) {
      case TaskState::succeeded:
        ends.push_back({attempt, Next::left, {}});
        break;
      case TaskState::waiting:  // it waits for its next attempt while others run
        ends.push_back({attempt, Next::restarts, task.reason});
        break;
      case TaskState::failed:
        ends.push_back({attempt, Next::unknown, task.reason});
        break;
      case TaskState::stopped:
      case TaskState::lost:
        ends.push_back({attempt, Next::gone, task.reason});
        break;
      case TaskState::absent:
      case TaskState::placed:
      case TaskState::starting:
      case TaskState::running:
      case TaskState::stopping:
        break;
    }
  }
  return ends;
}

}  // namespace ydl::master
