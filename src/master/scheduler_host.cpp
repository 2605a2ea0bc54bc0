#include "master/scheduler_host.hpp"

#include "core/log.hpp"
#include "net/resolver.hpp"
#include "net/spawn.hpp"

#include <tuple>

#include <fmt/format.h>

namespace ydl::master {
namespace {

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

// Nodes are told to register by address; a job may say otherwise with a DMLC_NODE_HOST of its own.
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

core::Result<void> SchedulerHost::start() {
  pslite::SchedulerOptions options;
  options.job.workers = shape_.count("worker");
  options.job.servers = shape_.count("server");
  options.job.host = place_.host;
  options.job.registration_timeout = registration_timeout_;
  options.address = place_.listen;
  if (place_.port_range) std::tie(options.port, options.last_port) = *place_.port_range;
  options.resolve = look_up;
  options.vouches_for = place_.has_agent_at;
  options.notify = [this](const pslite::Notice& notice) { on(notice); };
  scheduler_.reset();
  auto scheduler = pslite::Scheduler::listen(executor_, std::move(options));
  if (!scheduler) {
    return core::fail(scheduler.error().code, place_.port_range
                                                  ? scheduler.error().message + "; choose others with --port-range"
                                                  : scheduler.error().message);
  }
  scheduler_ = *std::move(scheduler);
  current_ = std::make_shared<Current>();
  begun_ = false;
  return {};
}

void SchedulerHost::launching(const framework::Gang::Member& member) {
  if (!scheduler_) return;
  scheduler_->expect(
      {member.id, role_of(member.id), member.host, member.ports.empty() ? std::uint16_t{0} : member.ports.front()});
  if (!std::exchange(begun_, true)) scheduler_->begin();
}

void SchedulerHost::ended(const job::MemberEnded& member) {
  if (scheduler_) scheduler_->node_exited({member.attempt.task, outlook_of(member.next), member.reason});
}

// A task's end can be what fails the scheduler and also what starts all tasks again. The job decides the second in the
// same turn; the failure of a scheduler that it has stopped by then means nothing.
void SchedulerHost::broken(std::string why) {
  net::spawn(executor_, "reporting a failure of the scheduler", tell_broken(current_, std::move(why)));
}

net::awaitable<void> SchedulerHost::tell_broken(std::weak_ptr<Current> scheduler, std::string why) {
  co_await net::asio::post(co_await net::asio::this_coro::executor, net::asio::use_awaitable);
  if (!scheduler.expired()) sink_.broken(std::move(why));
}

void SchedulerHost::on(const pslite::Notice& notice) {
  if (const auto* all = std::get_if<pslite::AllRegistered>(&notice)) {
    sink_.note(std::nullopt, fmt::format("all {} nodes registered with the scheduler", all->members.size()));
  } else if (const auto* recovered = std::get_if<pslite::Recovered>(&notice)) {
    sink_.note(std::nullopt,
               fmt::format("{} took its place in the parameter server again", name_of(recovered->member)));
  } else if (const auto* never = std::get_if<pslite::NeverRegistered>(&notice)) {
    sink_.note(std::nullopt, never->sentence);
  } else if (const auto* refused = std::get_if<pslite::Refused>(&notice)) {
    broken(fmt::format("the scheduler refused {}: {}", name_of(refused->member), refused->sentence));
  } else if (const auto* failed = std::get_if<pslite::Failed>(&notice)) {
    broken(failed->sentence);
  } else if (const auto* stranger = std::get_if<pslite::StrangerRefused>(&notice)) {
    sink_.note(std::nullopt, fmt::format("the scheduler refused {}", stranger->sentence));
  } else if (const auto* note = std::get_if<pslite::Note>(&notice)) {
    core::log("scheduler: {}", note->sentence);
  } else if (const auto* dead = std::get_if<pslite::NodeDead>(&notice)) {
    core::log("scheduler: {} is dead: {}", name_of(dead->member), dead->why);
  }
}

}  // namespace ydl::master
