#include "backend/fake/fake.hpp"

#include "net/spawn.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace ydl::backend {

using core::AttemptId;
using core::Millis;

struct FakeBackend::State {
  State(net::asio::any_io_executor executor_, Sink sink_, Script script_, FakeTask otherwise_)
      : executor(std::move(executor_)),
        sink(std::move(sink_)),
        script(std::move(script_)),
        otherwise(std::move(otherwise_)) {}

  // An attempt that was launched and has not ended.
  struct Live {
    explicit Live(const net::asio::any_io_executor& executor_) : stop_asked(executor_) {}
    net::Signal stop_asked;
    std::optional<core::Instant> kill_at;  // set if it was stopped

    void stop(Millis grace) {
      const auto at = core::steady_now() + grace;
      kill_at = kill_at ? std::min(*kill_at, at) : at;
      stop_asked.notify();
    }
  };

  net::asio::any_io_executor executor;
  Sink sink;
  Script script;
  FakeTask otherwise;
  std::set<AttemptId> asked;  // attempts that are not placed yet
  std::set<AttemptId> held;
  std::map<AttemptId, std::shared_ptr<Live>> live;
  std::uint16_t next_port = 20000;
  bool closed = false;

  const FakeTask& behaviour(const AttemptId& attempt) const {
    for (const auto& key : {fmt::format("{}#{}", attempt.task.str(), attempt.attempt), attempt.task.str()}) {
      if (const auto found = script.find(key); found != script.end()) return found->second;
    }
    return otherwise;
  }
  void tell(job::Event event) const {
    if (!closed) sink.event(std::move(event));
  }
};

FakeBackend::FakeBackend(net::asio::any_io_executor executor, Sink sink, Script script, FakeTask otherwise)
    : state_(std::make_shared<State>(std::move(executor), std::move(sink), std::move(script), std::move(otherwise))) {}

FakeBackend::~FakeBackend() {
  state_->closed = true;
}

net::Async<> FakeBackend::open() {
  co_return core::Result<>{};
}

namespace {

net::awaitable<void> find_place(std::shared_ptr<FakeBackend::State> state, TaskRequest request);
net::awaitable<void> simulate_task(std::shared_ptr<FakeBackend::State> state, AttemptId attempt);

}  // namespace

void FakeBackend::place(TaskRequest request) {
  if (request.takes_over) release(*request.takes_over);
  state_->asked.insert(request.attempt);
  net::spawn(state_->executor, "placing a fake task", find_place(state_, std::move(request)));
}

void FakeBackend::launch(protocol::Launch request) {
  if (!state_->held.contains(request.attempt)) return;
  state_->live[request.attempt] = std::make_shared<State::Live>(state_->executor);
  net::spawn(state_->executor, "running a fake task", simulate_task(state_, request.attempt));
}

void FakeBackend::stop(protocol::Stop request) {
  const auto found = state_->live.find(request.attempt);
  if (found != state_->live.end()) found->second->stop(request.grace);
}

void FakeBackend::release(const AttemptId& attempt) {
  state_->asked.erase(attempt);
  state_->held.erase(attempt);
  if (const auto found = state_->live.find(attempt); found != state_->live.end()) found->second->stop(Millis(0));
}

net::awaitable<void> FakeBackend::close(const job::Outcome& /*outcome*/) {
  state_->closed = true;
  for (auto& [attempt, live] : state_->live) live->stop(Millis(0));
  state_->asked.clear();
  state_->held.clear();
  co_return;
}

std::size_t FakeBackend::places_held() const {
  return state_->held.size();
}

std::size_t FakeBackend::tasks_running() const {
  return state_->live.size();
}

namespace {

net::awaitable<void> find_place(std::shared_ptr<FakeBackend::State> state, TaskRequest request) {
  const auto& script = state->behaviour(request.attempt);
  co_await net::pause(script.place_after);
  if (state->asked.erase(request.attempt) == 0) co_return;  // released meanwhile
  if (!script.cannot_place.empty()) {
    state->tell(job::CannotPlace{request.attempt, script.cannot_place});
    co_return;
  }
  state->held.insert(request.attempt);
  job::Place place{"127.0.0.1", "fake-host", {}};
  place.ports = request.same_ports;
  const int wanted = request.ports + (request.scheduler ? 1 : 0);
  while (std::cmp_less(place.ports.size(), wanted)) place.ports.push_back(state->next_port++);
  state->tell(job::Placed{request.attempt, std::move(place)});
  if (script.lose_node_after) {
    co_await net::pause(*script.lose_node_after);
    if (state->held.erase(request.attempt) == 0) co_return;
    if (const auto found = state->live.find(request.attempt); found != state->live.end()) {
      found->second->stop_asked.notify();
      state->live.erase(found);
    }
    state->tell(job::Lost{request.attempt, "fake-host was lost, as the script specifies"});
  }
}

net::awaitable<void> simulate_task(std::shared_ptr<FakeBackend::State> state, AttemptId attempt) {
  const auto& script = state->behaviour(attempt);
  const auto life = state->live.at(attempt);
  const auto gone = [&] {  // its node was lost meanwhile
    const auto found = state->live.find(attempt);
    return found == state->live.end() || found->second != life;
  };
  if (!life->kill_at) co_await life->stop_asked.wait(script.start_after);
  if (gone()) co_return;
  if (!script.start_error.empty()) {
    state->live.erase(attempt);
    const auto cause = script.start_error_permanent ? job::Cause::cannot_start : job::Cause::start_failed;
    state->tell(job::StartFailed{attempt, cause, script.start_error});
    co_return;
  }
  if (!life->kill_at) {
    state->tell(job::Started{attempt, 4242});
    if (!script.says.empty() && !state->closed) state->sink.output({attempt, script.says, std::nullopt, {}});
    constexpr Millis kForEver = std::chrono::hours(24);
    if (!life->kill_at) co_await life->stop_asked.wait(script.never_ends ? kForEver : script.run_for);
  }
  if (gone()) co_return;
  job::ExitStatus status{script.exit_code, script.exit_signal};
  if (life->kill_at) {
    while (script.ignores_stop && core::steady_now() < *life->kill_at)
      co_await life->stop_asked.wait(*life->kill_at - core::steady_now());
    if (gone()) co_return;
    status = {0, script.ignores_stop ? 9 : 15};
  }
  state->live.erase(attempt);
  state->tell(job::Exited{attempt, status});
}

}  // namespace

}  // namespace ydl::backend
