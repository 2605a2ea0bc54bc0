// Containers that end, come to nothing, or do not come.
#include "backend/yarn/log_rescue.hpp"
#include "backend/yarn/yarn_state.hpp"
#include "core/log.hpp"
#include "core/strings.hpp"
#include "net/spawn.hpp"
#include "yarn/diagnostics.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ydl::backend {
namespace {

constexpr core::Millis kSayMissingAfter{2'000};
constexpr core::Millis kOverdueAfter{15'000};

// " with the label gpu on node1, /rack2".
std::string where_of(const YarnRole& role) {
  std::string text = role.label.empty() ? "" : fmt::format(" with the label {}", role.label);
  auto places = role.hosts;
  places.insert(places.end(), role.racks.begin(), role.racks.end());
  if (!places.empty()) text += fmt::format(" on {}", core::join(places, ", "));
  return text;
}

}  // namespace

void YarnBackend::State::on_start_failed(const yarn::ContainerId& id, const core::Error& error) {
  const auto* held = book.find(id);
  if (held == nullptr) return;
  ContainerEnd end;
  end.reason = fmt::format("the NodeManager on {} did not start its container: {}", held->container.node.host,
                           yarn::shorten_diagnostics(error.message));
  end.meaning = held->failures + 1 >= kMostFailedContainers ? ContainerEnd::Meaning::cannot_place
                                                            : ContainerEnd::Meaning::try_again;
  end.blames_the_host = true;
  end.cause = job::Cause::start_failed;
  fsm.release(id);
  on_end(id, end);
}

void YarnBackend::State::on_completed(const yarn::ContainerStatus& status) {
  using Meaning = ContainerEnd::Meaning;
  auto* held = book.find(status.id);
  if (held == nullptr) return;
  auto end = what_it_means(*held, status);
  if (held->phase == Phase::starting && options.image) end.reason += image_hint(*options.image, status.exit_status);
  if (end.meaning != Meaning::exited && end.meaning != Meaning::lost) return on_end(status.id, end);
  held->phase = Phase::ended;                           // and its agent had no time to say so
  hub.send(agent_of(status.id), protocol::Shutdown{});  // a container that lives on when its NodeManager is lost
  net::spawn(executor, "saving the logs of a container", save_logs_and_end(status.id, std::move(end)));
}

// Who hears of the end may want to read the last lines.
net::awaitable<void> YarnBackend::State::save_logs_and_end(yarn::ContainerId id, ContainerEnd end) {
  const auto self = shared_from_this();
  const auto held = *book.find(id);
  const auto http = hconf::parse_host_port(held.container.node_http_address, 0);
  ++saving;
  auto complete =
      http ? co_await complete_logs(*options.fs, {.container = id,
                                                  .node_http = {addresses[held.container.node.host], http->port},
                                                  .user = options.job.user,
                                                  .copies = held.request.remote_logs})
           : core::fail(http.error());
  --saving;
  saved.notify();
  if (!complete) {
    sink.note(
        fmt::format("{}: its logs may lack their ends: {}", held.request.attempt.task.str(), complete.error().message));
  }
  on_end(id, end);
}

void YarnBackend::State::on_end(const yarn::ContainerId& id, const ContainerEnd& end) {
  using Meaning = ContainerEnd::Meaning;
  if (book.find(id) == nullptr) return;
  const auto held = *book.find(id);
  const auto& attempt = held.request.attempt;
  hub.forget(agent_of(id));
  book.erase(id);
  if (end.meaning == Meaning::nothing || closed) return;
  core::log("{}: {}", attempt.str(), end.reason);
  if (end.blames_the_host) avoid(held.container.node.host);
  switch (end.meaning) {
    case Meaning::try_again:
      tell(job::NotPlacedYet{attempt, end.reason});
      book.wait(held.request, held.failures + 1);
      fsm.want(key_of(attempt.task.role), 1, core::steady_now());
      news.notify();
      break;
    case Meaning::cannot_place:
      tell(job::CannotPlace{attempt, end.reason, end.cause});
      break;
    case Meaning::exited:
      sink.note(fmt::format("{}: {}", attempt.task.str(), end.reason));
      tell(job::Exited{attempt, end.exit});
      break;
    case Meaning::lost:
      tell(job::Lost{attempt, end.reason, end.cause});
      break;
    case Meaning::nothing:
      break;
  }
}

void YarnBackend::State::look_for_silence() {
  std::vector<yarn::ContainerId> silent;
  for (const auto& [id, held] : book.held()) {
    if (held.phase != Phase::placed) continue;
    if (core::steady_now() - hub.last_heard(agent_of(id)) > options.agent_silence) silent.push_back(id);
  }
  for (const auto& id : silent) {
    const auto& node = book.find(id)->container.node;
    const auto reason = fmt::format("its agent on {} has said nothing for {}: the host or the network is gone",
                                    node.host, core::format_duration(options.agent_silence));
    let_go(id);
    on_end(id, {.meaning = ContainerEnd::Meaning::lost, .reason = reason, .exit = {}, .blames_the_host = true});
  }
}

// Never so many that the job could starve: a host that has been avoided longest gets another chance.
void YarnBackend::State::avoid(const std::string& host) {
  if (std::ranges::find(avoided, host) != avoided.end()) return;
  const auto most = options.job.nodes.size() / 3;
  if (most == 0) return;
  if (avoided.size() >= most) {
    fsm.forgive(avoided.front());
    avoided.pop_front();
  }
  avoided.push_back(host);
  fsm.avoid(host);
}

// Containers that are there, and whose agents are not: files that take long to get to the node, say.
void YarnBackend::State::say_what_takes_long() {
  for (auto& [id, held] : book.held()) {
    if (held.phase != Phase::starting || held.is_overdue || core::steady_now() - held.since < kOverdueAfter) continue;
    held.is_overdue = true;
    tell(
        job::NotPlacedYet{held.request.attempt,
                          fmt::format("its container on {} ({}) is being started since {}: its files are on their way, "
                                      "or it cannot reach this master at {}:{}",
                                      held.container.node.host, id.str(), core::format_duration(kOverdueAfter),
                                      options.address, options.port)});
  }
}

// Why attempts still wait, once it has taken a while; the reason is named if the time runs out.
void YarnBackend::State::say_what_is_missing() {
  if (fsm.open_asks() == 0) {
    waiting_since.reset();
    said_missing = false;
    return;
  }
  const auto now = core::steady_now();
  if (!waiting_since) waiting_since = now;
  if (said_missing || now - *waiting_since < kSayMissingAfter) return;
  said_missing = true;
  for (const auto& role : options.roles) {
    const auto attempts = book.waiting(role.name);
    for (const auto& attempt : attempts) {
      tell(job::NotPlacedYet{
          attempt, fmt::format("queue {} has granted no container of {}{} yet: it is full, or no host has so much free",
                               options.job.queue, to_string(role.resource), where_of(role))});
    }
  }
}

}  // namespace ydl::backend
