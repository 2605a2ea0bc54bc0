// The backend's side towards the job and its agents.
#include "backend/packing/python_env.hpp"
#include "backend/yarn/yarn_state.hpp"
#include "core/strings.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ydl::backend {

void YarnBackend::State::want(protocol::Prepare request) {
  const auto& job = options.job;
  const auto& attempt = request.attempt;
  request.working_directory = "task";
  request.results_directory = "results";
  request.log_directory = ".";
  request.linked_directory = job.staged.linked_directory;
  request.links = job.staged.links;
  if (std::ranges::find(job.staged.links, kPythonEnvLink, &protocol::Link::name) != job.staged.links.end())
    request.path_first = {std::string(kPythonEnvPrograms)};
  request.remote_logs = remote_logs(job.folder, attempt);
  request.remote_results = fmt::format("{}/{}", job.results, attempt.task.file_name());
  request.memory_limit = 0;  // the NodeManager holds the container to what it was granted
  request.vcores_limit = 0;
  fsm.want(key_of(attempt.task.role), 1, core::steady_now());
  book.wait(std::move(request));
  news.notify();
}

void YarnBackend::State::give_up(const core::AttemptId& attempt) {
  if (book.stop_waiting(attempt)) {
    fsm.want(key_of(attempt.task.role), -1, core::steady_now());
    news.notify();
    return;
  }
  auto* held = book.find(attempt);
  if (held == nullptr) return;
  const auto id = held->container.id;
  const bool may_run = held->phase == Phase::placed;
  held->phase = Phase::ended;
  let_go(id);
  if (may_run) tell(job::Lost{attempt, "its container was given back", job::Cause::stopped});
}

// Its agent, its NodeManager and the ResourceManager hear that a container has to go. It stays in the book until it
// has.
void YarnBackend::State::let_go(const yarn::ContainerId& id) {
  const auto* held = book.find(id);
  if (held == nullptr) return;
  const auto& node = held->container.node;
  hub.send(agent_of(id), protocol::Shutdown{});
  if (const auto* token = fsm.nm_token(node)) starter.stop(node, *token, {id});
  fsm.release(id);
  news.notify();
}

void YarnBackend::State::on_report(const yarn::ContainerId& id, const protocol::Report& report) {
  auto* held = book.find(id);
  if (held == nullptr || held->phase == Phase::ended) return;
  std::visit([&](const auto& one) { on(*held, one); }, report);
}

void YarnBackend::State::on(Held& held, const protocol::Prepared& report) {
  held.phase = Phase::placed;
  const auto& host = held.container.node.host;
  tell(job::Placed{report.attempt, {addresses[host], host, report.ports}});
}

void YarnBackend::State::on(Held& held, const protocol::PrepareFailed& report) {
  held.phase = Phase::ended;
  let_go(held.container.id);
  tell(job::CannotPlace{report.attempt, report.reason, report.cause});
}

void YarnBackend::State::on(Held&, const protocol::TaskStarted& report) {
  tell(job::Started{report.attempt, report.pid});
}

void YarnBackend::State::on(Held& held, const protocol::TaskStartFailed& report) {
  if (report.cause != job::Cause::port_taken) {
    held.phase = Phase::ended;
    let_go(held.container.id);
  }
  tell(job::StartFailed{report.attempt, report.cause, report.reason});
}

void YarnBackend::State::on(Held&, const protocol::TaskSaving& report) {
  tell(job::Saving{report.attempt});
}

void YarnBackend::State::on(Held& held, const protocol::TaskExited& report) {
  held.phase = Phase::ended;
  hub.send(agent_of(held.container.id), protocol::Shutdown{});
  auto status = report.status;
  if (report.leftovers > 0) {
    sink.note(fmt::format("{} left {} behind; ended with it", report.attempt.task.str(),
                          report.leftovers == 1 ? "a process" : fmt::format("{} processes", report.leftovers)));
  }
  if (!report.problem.empty()) {
    sink.note(fmt::format("{}: {}", report.attempt.task.str(), report.problem));
    if (status.ok()) status.code = 1;  // who loses a model has not succeeded
  }
  tell(job::Exited{report.attempt, status});
}

void YarnBackend::State::on(Held&, const protocol::Note& report) {
  if (!closed) sink.note(fmt::format("{}: {}", report.attempt.task.str(), report.text));
}

void YarnBackend::State::on(Held&, const protocol::TaskOutput& report) {
  if (!closed) sink.output(report);
}

}  // namespace ydl::backend
