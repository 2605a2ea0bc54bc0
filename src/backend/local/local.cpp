#include "backend/local/local.hpp"

#include "core/log.hpp"
#include "core/strings.hpp"
#include "core/user.hpp"
#include "net/spawn.hpp"

#include <csignal>
#include <set>
#include <sys/wait.h>

#include <fmt/format.h>

namespace ydl::backend {

using core::AttemptId;

struct LocalBackend::State : std::enable_shared_from_this<LocalBackend::State> {
  State(net::asio::any_io_executor executor_, protocol::Hub& hub_, Sink sink_, LocalOptions options_)
      : executor(std::move(executor_)),
        hub(hub_),
        sink(std::move(sink_)),
        options(std::move(options_)),
        ended(executor) {}

  net::asio::any_io_executor executor;
  protocol::Hub& hub;
  Sink sink;
  LocalOptions options;
  const core::AgentId agent{"local"};
  const std::string node = core::host_name();
  std::optional<net::ChildProcess> process;
  core::UniqueFd leash;      // the agent reads its end from it when we are gone
  std::set<AttemptId> held;  // asked for and not yet ended or released
  net::Signal ended;
  bool running = false;
  bool closed = false;

  void tell(job::Event event) const {
    if (!closed) sink.event(std::move(event));
  }

  void on_report(const protocol::Report& report) {
    std::visit([this](const auto& r) { on(r); }, report);
  }

  void on(const protocol::Prepared& r) { tell(job::Placed{r.attempt, {"127.0.0.1", node, r.ports}}); }
  void on(const protocol::PrepareFailed& r) {
    held.erase(r.attempt);
    tell(job::CannotPlace{r.attempt, r.reason, r.cause});
  }
  void on(const protocol::TaskStarted& r) const { tell(job::Started{r.attempt, r.pid}); }
  void on(const protocol::TaskStartFailed& r) {
    if (r.cause != job::Cause::port_taken) held.erase(r.attempt);
    tell(job::StartFailed{r.attempt, r.cause, r.reason});
  }
  void on(const protocol::TaskSaving& r) const { tell(job::Saving{r.attempt}); }
  void on(const protocol::TaskExited& r) {
    held.erase(r.attempt);
    if (r.leftovers > 0 && !closed) {
      sink.note(fmt::format("{} left {} behind; ended with it", r.attempt.task.str(),
                            r.leftovers == 1 ? "a process" : fmt::format("{} processes", r.leftovers)));
    }
    if (!r.problem.empty() && !closed) sink.note(fmt::format("{}: {}", r.attempt.task.str(), r.problem));
    tell(job::Exited{r.attempt, r.status});
  }
  void on(const protocol::Note& r) const {
    if (!closed) sink.note(fmt::format("{}: {}", r.attempt.task.str(), r.text));
  }
  void on(const protocol::LogPiece&) const {}  // the hub gives it to who asked
  void on(const protocol::TaskOutput& r) const {
    if (!closed) sink.output(r);
  }

  void agent_gone(int status) {
    running = false;
    const auto how = WIFSIGNALED(status) ? fmt::format("by signal {}", WTERMSIG(status))
                                         : fmt::format("with code {}", WEXITSTATUS(status));
    core::log("the agent ended {}", how);
    hub.forget(agent);
    for (const auto& attempt : std::exchange(held, {})) {
      tell(job::Lost{attempt,
                     fmt::format("the agent on {} ended {} (its log is {})", node, how, options.agent_log.string())});
    }
    ended.notify();
  }
};

namespace {

net::awaitable<void> watch_agent(std::shared_ptr<LocalBackend::State> state) {
  const int status = co_await state->process->wait();
  state->agent_gone(status);
}

// An agent that is stopped or stuck does not end by itself: after a silence it is killed, and its tasks with it.
net::awaitable<void> watch_silence(std::shared_ptr<LocalBackend::State> state) {
  while (state->running) {
    co_await state->ended.wait(state->options.agent_silence / 4);
    if (!state->running) co_return;
    if (core::steady_now() - state->hub.last_heard(state->agent) < state->options.agent_silence) continue;
    core::log("the agent said nothing for {}: killing it", core::format_duration(state->options.agent_silence));
    state->process->signal(SIGKILL);
    co_return;
  }
}

// Who stops a task without grace waits for it: long before the silence above is over, an agent that does not take the
// command is killed, and its tasks with it. With grace it has all that time: it may be busy with another task's
// results.
net::awaitable<void> watch_stop(std::shared_ptr<LocalBackend::State> state) {
  const auto& silence = state->options.stop_silence;
  co_await state->ended.wait(silence);
  if (!state->running) co_return;
  const auto since = state->hub.unconfirmed_since(state->agent);
  if (!since || core::steady_now() - *since < silence) co_return;
  core::log("the agent did not take a command to stop within {}: killing it", core::format_duration(silence));
  state->process->signal(SIGKILL);
}

}  // namespace

LocalBackend::LocalBackend(net::asio::any_io_executor executor, protocol::Hub& hub, Sink sink, LocalOptions options)
    : state_(std::make_shared<State>(std::move(executor), hub, std::move(sink), std::move(options))) {}

LocalBackend::~LocalBackend() {
  state_->closed = true;
}

net::Async<> LocalBackend::open() {
  auto& state = *state_;
  auto leash = core::make_pipe();
  if (!leash) co_return core::fail(leash.error());
  net::SpawnOptions spawn;
  spawn.executable = state.options.executable;
  spawn.argv = {"ydl",    "__agent", "--id", state.agent.str(), "--credentials", state.options.credentials.string(),
                "--leash"};
  spawn.standard_input = std::move(leash->read);
  spawn.log_file = state.options.agent_log;
  state.hub.expect(state.agent, {[](const protocol::Hello&) {},
                                 [shared = state_](const protocol::Report& report) { shared->on_report(report); }});
  auto process = net::ChildProcess::spawn(std::move(spawn));
  if (!process) co_return core::fail(process.error());
  state.process.emplace(std::move(*process));
  state.leash = std::move(leash->write);
  state.running = true;
  net::spawn(state.executor, "watching the agent", watch_agent(state_));
  net::spawn(state.executor, "watching the agent's heartbeat", watch_silence(state_));
  co_return core::Result<>{};
}

void LocalBackend::place(protocol::Prepare request) {
  if (!state_->running) {
    state_->tell(job::CannotPlace{request.attempt, fmt::format("the agent on {} has ended; its log is {}", state_->node,
                                                               state_->options.agent_log.string())});
    return;
  }
  state_->held.insert(request.attempt);
  state_->hub.send(state_->agent, std::move(request));
}

void LocalBackend::launch(protocol::Launch request) {
  state_->hub.send(state_->agent, std::move(request));
}

void LocalBackend::stop(protocol::Stop request) {
  const bool at_once = request.grace == core::Millis(0);
  state_->hub.send(state_->agent, std::move(request));
  if (at_once && state_->running) net::spawn(state_->executor, "watching the agent stop", watch_stop(state_));
}

void LocalBackend::release(const AttemptId& attempt) {
  state_->held.erase(attempt);
  state_->hub.send(state_->agent, protocol::Release{attempt});
}

net::awaitable<void> LocalBackend::close(const job::Outcome& /*outcome*/) {
  auto state = state_;
  state->closed = true;
  if (!state->running) co_return;
  state->leash.reset();  // the agent ends itself and everything under it
  co_await state->ended.wait(core::Seconds(5));
  if (!state->running) co_return;
  core::log("the agent did not end in time: killing it");
  state->process->signal(SIGKILL);
  co_await state->ended.wait(core::Seconds(5));
}

core::Result<void> check_capacity(const Needs& needs, const Machine& machine) {
  // Far more tasks than cores is a way to test a job; thousands are a typing mistake or meant for a cluster.
  const int limit = std::max(256, 64 * machine.cores);
  const auto refuse = [](std::string sentence) { return core::fail(core::Errc::no_capacity, std::move(sentence)); };
  if (needs.tasks > limit) {
    return refuse(fmt::format("{} are more than this machine takes (at most {} on {}): ask for fewer, or use a cluster",
                              core::plural(needs.tasks, "task"), limit, core::plural(machine.cores, "core")));
  }
  if (needs.gpus > machine.gpus) {
    return refuse(fmt::format(
        "the job needs {} ({}), this machine has {}: ask for fewer with --resource ROLE:gpus=N, or use a cluster",
        core::plural(needs.gpus, "GPU"), needs.gpu_users, machine.gpus == 0 ? "none" : std::to_string(machine.gpus)));
  }
  if (machine.memory > 0 && needs.memory > machine.memory) {
    return refuse(
        fmt::format("the tasks ask for {} of memory together, this machine has {}: ask for less with --resource "
                    "ROLE:memory=SIZE, or use a cluster",
                    core::format_bytes(needs.memory), core::format_bytes(machine.memory)));
  }
  return {};
}

}  // namespace ydl::backend
