#include "backend/local/local.hpp"

#include "backend/agent_link.hpp"
#include "core/log.hpp"
#include "core/strings.hpp"
#include "core/user.hpp"
#include "net/spawn.hpp"

#include <csignal>
#include <sys/wait.h>

#include <fmt/format.h>

namespace ydl::backend {

using core::AttemptId;

struct LocalBackend::State : std::enable_shared_from_this<LocalBackend::State> {
  State(net::asio::any_io_executor executor_, protocol::Hub& hub, Sink sink, LocalOptions options_)
      : executor(std::move(executor_)),
        options(std::move(options_)),
        link(std::make_shared<AgentLink>(hub, core::AgentId{"local"}, AgentHost{"127.0.0.1", core::host_name()},
                                         std::move(sink))),
        ended(executor) {}

  net::asio::any_io_executor executor;
  LocalOptions options;
  std::shared_ptr<AgentLink> link;
  std::optional<net::ChildProcess> process;
  core::UniqueFd lifeline;  // the agent's standard input; it is closed when this process ends
  net::Signal ended;
  bool running = false;

  void agent_gone(int status) {
    running = false;
    const auto how = WIFSIGNALED(status) ? fmt::format("was killed by signal {}", WTERMSIG(status))
                                         : fmt::format("ended with exit code {}", WEXITSTATUS(status));
    core::log("the agent {}", how);
    link->lost(fmt::format("the agent on {} {} (its log is {})", link->host().name, how, options.agent_log.string()));
    ended.notify();
  }
};

namespace {

net::awaitable<void> watch_agent(std::shared_ptr<LocalBackend::State> state) {
  const int status = co_await state->process->wait();
  state->agent_gone(status);
}

// An agent that is stopped or hangs does not end by itself. If it is silent for too long, it is killed with its tasks.
net::awaitable<void> watch_silence(std::shared_ptr<LocalBackend::State> state) {
  while (state->running) {
    co_await state->ended.wait(state->options.agent_silence / 4);
    if (!state->running) co_return;
    if (core::steady_now() - state->link->last_heard() < state->options.agent_silence) continue;
    core::log("the agent was silent for {}: killing it", core::format_duration(state->options.agent_silence));
    state->process->signal(SIGKILL);
    co_return;
  }
}

// A user who stops a job without grace waits for it. So an agent that does not take such a command is killed with its
// tasks much earlier. A stop with grace does not shorten the time, because the agent may be busy with results.
net::awaitable<void> watch_stop(std::shared_ptr<LocalBackend::State> state) {
  const auto& silence = state->options.stop_silence;
  co_await state->ended.wait(silence);
  if (!state->running) co_return;
  const auto since = state->link->unconfirmed_since();
  if (!since || core::steady_now() - *since < silence) co_return;
  core::log("the agent did not take a command to stop within {}: killing it", core::format_duration(silence));
  state->process->signal(SIGKILL);
}

}  // namespace

LocalBackend::LocalBackend(net::asio::any_io_executor executor, protocol::Hub& hub, Sink sink, LocalOptions options)
    : state_(std::make_shared<State>(std::move(executor), hub, std::move(sink), std::move(options))) {}

LocalBackend::~LocalBackend() {
  state_->link->close();
}

net::Async<> LocalBackend::open() {
  auto& state = *state_;
  auto lifeline = core::make_pipe();
  if (!lifeline) co_return core::fail(lifeline.error());
  net::SpawnOptions spawn;
  spawn.executable = state.options.executable;
  spawn.argv = {
      "ydl",       "__agent", "--id", state.link->id().str(), "--credentials", state.options.credentials.string(),
      "--lifeline"};
  spawn.standard_input = std::move(lifeline->read);
  spawn.log_file = state.options.agent_log;
  state.link->expect();
  auto process = net::ChildProcess::spawn(std::move(spawn));
  if (!process) co_return core::fail(process.error());
  state.process.emplace(std::move(*process));
  state.lifeline = std::move(lifeline->write);
  state.running = true;
  net::spawn(state.executor, "watching the agent", watch_agent(state_));
  net::spawn(state.executor, "watching the agent's heartbeat", watch_silence(state_));
  co_return core::Result<>{};
}

void LocalBackend::place(TaskRequest request) {
  const auto& link = state_->link;
  if (request.takes_over) link->release(*request.takes_over);
  if (state_->running) return link->prepare(prepare_here(request, state_->options.files));
  link->tell_job(job::CannotPlace{request.attempt, fmt::format("the agent on {} has ended; its log is {}",
                                                               link->host().name, state_->options.agent_log.string())});
}

void LocalBackend::launch(protocol::Launch request) {
  state_->link->launch(std::move(request));
}

void LocalBackend::stop(protocol::Stop request) {
  const bool at_once = request.grace == core::Millis(0);
  state_->link->stop(std::move(request));
  if (at_once && state_->running) net::spawn(state_->executor, "watching the agent stop", watch_stop(state_));
}

void LocalBackend::pass(protocol::Notice notice) {
  state_->link->pass(std::move(notice));
}

void LocalBackend::release(const AttemptId& attempt) {
  state_->link->release(attempt);
}

net::awaitable<void> LocalBackend::close(const job::Outcome& /*outcome*/) {
  auto state = state_;
  state->link->close();
  if (!state->running) co_return;
  state->lifeline.reset();  // the agent kills all its tasks and ends
  co_await state->ended.wait(core::Seconds(5));
  if (!state->running) co_return;
  core::log("the agent did not end in time: killing it");
  state->process->signal(SIGKILL);
  co_await state->ended.wait(core::Seconds(5));
}

protocol::Prepare prepare_here(const TaskRequest& request, const LocalFiles& files) {
  protocol::Prepare prepare;
  prepare.attempt = request.attempt;
  prepare.ports = request.ports;
  prepare.stall_timeout = request.stall_timeout;
  prepare.port_range = request.port_range;
  prepare.same_ports = request.same_ports;
  prepare.scheduler = request.scheduler;
  prepare.gpus = request.gpus;
  prepare.host_gpus = request.host_gpus;
  prepare.memory_limit = request.memory;
  prepare.vcores_limit = request.vcores;
  prepare.inputs = request.inputs;
  prepare.image = request.image;
  const auto folders = files.folders_of(request.attempt);
  prepare.working_directory = folders.working.string();
  prepare.results_directory = folders.results.string();
  prepare.log_directory = folders.logs.string();
  prepare.linked_directory = files.linked_directory;
  prepare.links = files.links;
  for (const auto& task : request.continues_tasks)
    prepare.restore.push_back({"", files.folders_of({task, request.attempt.attempt}).results.string()});
  prepare.restore.insert(prepare.restore.end(), request.continues_folders.begin(), request.continues_folders.end());
  return prepare;
}

core::Result<void> check_capacity(const Needs& needs, const Machine& machine) {
  // A job may have many more tasks than this machine has cores, for a test. Thousands are a typo or meant for a
  // cluster.
  const int limit = std::max(256, 64 * machine.cores);
  const auto refuse = [](std::string sentence) { return core::fail(core::Errc::no_capacity, std::move(sentence)); };
  if (needs.tasks > limit) {
    return refuse(fmt::format("{} are too many for this machine (at most {} on {}): request fewer, or use a cluster",
                              core::plural(needs.tasks, "task"), limit, core::plural(machine.cores, "core")));
  }
  if (needs.gpus > machine.gpus) {
    return refuse(fmt::format(
        "the job needs {} ({}), and this machine has {}: request fewer with --resource ROLE:gpus=N, or use a cluster",
        core::plural(needs.gpus, "GPU"), needs.gpu_users, machine.gpus == 0 ? "none" : std::to_string(machine.gpus)));
  }
  if (machine.memory > 0 && needs.memory > machine.memory) {
    return refuse(
        fmt::format("the tasks request {} of memory together, and this machine has {}: request less with --resource "
                    "ROLE:memory=SIZE, or use a cluster",
                    core::format_bytes(needs.memory), core::format_bytes(machine.memory)));
  }
  return {};
}

}  // namespace ydl::backend
