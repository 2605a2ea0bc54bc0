#include "agent/scheduler_host.hpp"

#include "core/log.hpp"
#include "net/resolver.hpp"

#include <tuple>

#include <fmt/format.h>

namespace ydl::agent {
namespace {

// A new attempt of a node may register before the master has announced it, because the master may just be restarting.
constexpr core::Millis kNewcomerWait = std::chrono::minutes(10);

pslite::Role role_of(const core::TaskId& task) {
  return task.role == "server" ? pslite::Role::server : pslite::Role::worker;
}

pslite::Outlook outlook_of(job::MemberEnded::Next next) {
  using Next = job::MemberEnded::Next;
  switch (next) {
    case Next::unknown:
      return pslite::Outlook::unknown;
    case Next::restarts:
      return pslite::Outlook::restarts;
    case Next::left:
      return pslite::Outlook::left;
    case Next::gone:
      return pslite::Outlook::gone;
  }
  return pslite::Outlook::unknown;
}

// Nodes register by address, unless a job sets DMLC_NODE_HOST itself.
net::Async<boost::asio::ip::address> look_up(std::string host) {
  const auto addresses = co_await net::resolve(host, core::Seconds(10));
  if (!addresses) co_return core::fail(addresses.error().within(fmt::format("DMLC_NODE_HOST '{}'", host)));
  co_return addresses->front();
}

std::string name_of(const pslite::Member& member) {
  return member.task ? member.task->str()
                     : fmt::format("{} at {}:{}", pslite::name(member.role), member.host, member.port);
}

}  // namespace

core::Result<std::unique_ptr<SchedulerHost>> SchedulerHost::start(const net::asio::any_io_executor& executor,
                                                                  const protocol::SchedulerPlan& plan,
                                                                  std::optional<PortRange> port_range, Sink sink) {
  std::unique_ptr<SchedulerHost> host(new SchedulerHost(std::move(sink)));
  pslite::SchedulerOptions options;
  options.job.workers = plan.workers;
  options.job.servers = plan.servers;
  options.job.registration_timeout = plan.registration_timeout;
  options.job.newcomer_wait = kNewcomerWait;
  options.address = plan.listen;
  if (port_range) std::tie(options.port, options.last_port) = *port_range;
  options.waits_for_begin = true;
  options.resolve = look_up;
  options.vouches_for = [self = host.get(), any = plan.takes_any_address](const std::string& address) {
    return any || self->addresses_.contains(address);
  };
  options.notify = [self = host.get()](const pslite::Notice& notice) { self->on(notice); };
  auto scheduler = pslite::Scheduler::listen(executor, std::move(options));
  if (!scheduler) {
    return core::fail(scheduler.error().code, port_range
                                                  ? scheduler.error().message + "; choose other ports with --port-range"
                                                  : scheduler.error().message);
  }
  host->scheduler_ = *std::move(scheduler);
  return host;
}

void SchedulerHost::expect(const protocol::SchedulerExpect& command) {
  addresses_.insert(command.addresses.begin(), command.addresses.end());
  for (const auto& node : command.nodes) {
    const auto& task = node.attempt.task;
    if (told_.expect(node.attempt)) scheduler_->expect({task, role_of(task), node.host, node.port});
  }
  if (!std::exchange(begun_, true)) scheduler_->begin(command.host, command.workers);
}

void SchedulerHost::ended(const protocol::SchedulerEnded& command) {
  if (told_.end(command.node, command.next))
    scheduler_->node_exited({command.node.task, outlook_of(command.next), command.reason});
}

void SchedulerHost::on(const pslite::Notice& notice) const {
  if (const auto* all = std::get_if<pslite::AllRegistered>(&notice)) {
    sink_.note(fmt::format("all {} nodes registered with the scheduler", all->members.size()));
  } else if (const auto* recovered = std::get_if<pslite::Recovered>(&notice)) {
    sink_.note(fmt::format("{} joined the parameter servers again", name_of(recovered->member)));
  } else if (const auto* never = std::get_if<pslite::NeverRegistered>(&notice)) {
    sink_.note(never->sentence);
  } else if (const auto* refused = std::get_if<pslite::Refused>(&notice)) {
    sink_.broken(fmt::format("the scheduler refused {}: {}", name_of(refused->member), refused->sentence));
  } else if (const auto* failed = std::get_if<pslite::Failed>(&notice)) {
    sink_.broken(failed->sentence);
  } else if (const auto* peer = std::get_if<pslite::UnknownPeerRefused>(&notice)) {
    sink_.note(fmt::format("the scheduler refused {}", peer->sentence));
  } else if (const auto* note = std::get_if<pslite::Note>(&notice)) {
    core::log("scheduler: {}", note->sentence);
  } else if (const auto* dead = std::get_if<pslite::NodeDead>(&notice)) {
    core::log("scheduler: {} is dead: {}", name_of(dead->member), dead->why);
  }
}

}  // namespace ydl::agent
