// How the master launches tasks, and what each task learns about the others.
#include "core/strings.hpp"
#include "master/master.hpp"
#include "net/spawn.hpp"
#include "protocol/command_list.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace ydl::master {
namespace {

// If many tasks of a large job were lost at once, they restart one by one. The list of all tasks, a megabyte for ten
// thousand tasks, is made once for all tasks that are placed within this time.
constexpr core::Millis kGather{50};

}  // namespace

void Master::on(const job::Launch& launch) {
  pending_.push_back(launch.attempt);
}

void Master::launch_pending() {
  if (pending_.empty()) return;
  launch_timer_.cancel();
  launch_armed_ = false;
  make_gang();
  auto pending = std::exchange(pending_, {});
  // The task was lost before it was launched, and the job continues without it.
  std::erase_if(pending, [this](const core::AttemptId& attempt) { return !gang_->has(attempt.task); });
  if (rendezvous_) rendezvous_->launching(*gang_, pending);
  for (const auto& attempt : pending) launch(attempt);
}

void Master::launch_pending_soon() {
  if (pending_.empty() || std::exchange(launch_armed_, true)) return;
  launch_timer_.expires_after(kGather);
  net::spawn(executor_, "starting tasks again", launch_after_gathering());
}

net::awaitable<void> Master::launch_after_gathering() {
  const auto [cancelled] = co_await launch_timer_.async_wait(net::tuple);
  if (!cancelled) launch_pending();
}

void Master::launch(const core::AttemptId& attempt) {
  auto request = launch_of(attempt);
  for (const auto& [name, value] : request.env) {
    const auto is_continued = std::ranges::find(request.continued, name) != request.continued.end();
    const auto before = is_continued ? gang_facts_->beginnings.at(name).size() : 0;
    if (auto fits = framework::check_length(name, before + value.size()); !fits)
      return post(job::Broken{fmt::format("{}: {}", attempt.task.str(), fits.error().message)});
  }
  backend_->launch(std::move(request));
}

void Master::make_gang() {
  gang_ = gang();
  protocol::GangFacts facts{gang_->start, framework::tasks_json(*gang_), plan_.framework->beginnings(*gang_)};
  gang_text_ = protocol::encode_gang(facts);
  gang_facts_ = std::make_shared<const protocol::GangFacts>(std::move(facts));
}

protocol::Launch Master::launch_of(const core::AttemptId& attempt) const {
  const auto& task = attempt.task;
  const auto& role = plan_.role(task.role);
  protocol::Launch request{attempt, role.argv};
  request.gang = gang_facts_;
  request.gang_text = gang_text_;
  request.env = framework::task_environment(*gang_, task);
  if (framework::has_role(*plan_.framework, task.role)) request.env.merge(plan_.framework->environment(*gang_, task));
  for (const auto* variable :
       {"OMP_NUM_THREADS"}) {  // a default of ydl; a value in the user's environment overrides it
    if (core::process_getenv(variable)) request.env.erase(variable);
  }
  if (!core::process_getenv("PYTHONUNBUFFERED"))
    request.env["PYTHONUNBUFFERED"] = "1";  // otherwise output appears in large blocks
  // With this, Python prints the stacks of a task that hangs.
  if (plan_.job.stall_timeout > core::Millis(0)) request.env["PYTHONFAULTHANDLER"] = "1";
  for (const auto& [name, value] : role.env) request.env[name] = value;
  for (const auto& [name, value] : gang_facts_->beginnings) {
    if (request.env.contains(name) && !role.env.contains(name)) request.continued.push_back(name);
  }
  request.env["YDL_ATTEMPT"] = std::to_string(attempt.attempt);
  return request;
}

void Master::tell_scheduler_again() {
  if (rendezvous_) rendezvous_->repeat_state(gang(), machine_.snapshot());
}

framework::Gang Master::gang() const {
  framework::Gang gang;
  gang.job_id = job_.id.str();
  std::map<std::string, int> members;
  LaunchPlaces from_machine;
  if (places_.tasks().empty()) from_machine.carry_out(from_machine.decided(machine_.snapshot()));
  for (const auto& task : places_.tasks().empty() ? from_machine.tasks() : places_.tasks()) {
    gang.start = std::max(gang.start, task.attempt);
    if (!task.is_member) continue;
    framework::Gang::Member member{task.id, "", {}, plan_.role(task.id.role).vcores};
    if (task.place) {
      member.host = task.place->host;
      member.ports = task.place->ports;
    }
    if (const auto& role = plan_.job_role(task.id.role); role.is_elastic()) {
      const bool starts_alone = role.restart == core::RestartUnit::task;
      member.index = starts_alone ? task.id.index : members[task.id.role]++;
    }
    gang.members.push_back(std::move(member));
  }
  if (rendezvous_) rendezvous_->put_into(gang);
  int retries = plan_.job.job_retries;
  for (const auto& role : plan_.job.roles) retries += role.retries;
  gang.max_starts = std::max(gang.start, 1 + retries);
  return gang;
}

}  // namespace ydl::master
